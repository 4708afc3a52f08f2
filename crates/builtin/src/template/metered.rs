//! The source of a template with a meter on all that can make values grow.
//!
//! The template engine bounds steps, and one step can double a text. So every operator, filter, call
//! and list is handed to the meter of [`super::budget`], as is every long piece of plain text. Lines
//! stay where they are. What cannot be read is left as it is: rendering it says what is wrong.

use minijinja::{
    machinery::{
        Span,
        ast::{BinOpKind, Call, CallArg, Expr, Macro, Spanned, Stmt},
        parse,
    },
    syntax::SyntaxConfig,
};

/// The names under which templates reach the meter: no template can write them by accident.
pub(super) const VALUE: &str = "__metered";
pub(super) const TEXT: &str = "__metered_text";

/// Plain text up to this many bytes is paid for by the step that writes it.
const SHORT: usize = 64;

/// Puts meters into a source.
pub(super) fn metered(source: &str) -> String {
    let Ok(tree) = parse(source, "", SyntaxConfig::default()) else {
        return source.to_owned();
    };
    let mut meter = Meter { source, edits: Vec::new() };
    meter.statement(&tree);
    // Stable: what is noted first at a place is the outer at a beginning and the inner at an end.
    meter.edits.sort_by_key(|(at, _)| *at);
    let (mut text, mut done) = (String::with_capacity(source.len() * 2), 0);
    for (at, edit) in meter.edits {
        text.push_str(&source[done..at]);
        text.push_str(&edit);
        done = at;
    }
    text + &source[done..]
}

struct Meter<'s> {
    source: &'s str,
    edits: Vec<(usize, String)>,
}

impl Meter<'_> {
    fn statements(&mut self, statements: &[Stmt<'_>]) {
        statements.iter().for_each(|statement| self.statement(statement));
    }

    fn statement(&mut self, statement: &Stmt<'_>) {
        match statement {
            Stmt::Template(template) => self.statements(&template.children),
            Stmt::EmitExpr(emitted) => self.expression(&emitted.expr),
            Stmt::EmitRaw(raw) => self.text(raw.raw),
            Stmt::ForLoop(found) => {
                self.expressions([&found.iter].into_iter().chain(&found.filter_expr));
                self.statements(&found.body);
                self.statements(&found.else_body);
            }
            Stmt::IfCond(found) => {
                self.expression(&found.expr);
                self.statements(&found.true_body);
                self.statements(&found.false_body);
            }
            Stmt::WithBlock(found) => {
                self.expressions(found.assignments.iter().map(|(_, value)| value));
                self.statements(&found.body);
            }
            Stmt::Set(found) => self.expression(&found.expr),
            Stmt::SetBlock(found) => {
                self.expressions(&found.filter);
                self.statements(&found.body);
            }
            Stmt::AutoEscape(found) => self.statements(&found.body),
            Stmt::FilterBlock(found) => {
                self.expression(&found.filter);
                self.statements(&found.body);
            }
            Stmt::Block(found) => self.statements(&found.body),
            Stmt::Import(found) => self.expression(&found.expr),
            Stmt::FromImport(found) => self.expression(&found.expr),
            Stmt::Extends(found) => self.expression(&found.name),
            Stmt::Include(found) => self.expression(&found.name),
            Stmt::Macro(found) => self.macro_(found),
            Stmt::CallBlock(found) => {
                self.arguments(&found.call.args);
                self.macro_(&found.macro_decl);
            }
            Stmt::Do(found) => self.arguments(&found.call.args),
        }
    }

    fn macro_(&mut self, found: &Macro<'_>) {
        self.expressions(&found.defaults);
        self.statements(&found.body);
    }

    fn expressions<'e, 'a: 'e>(&mut self, expressions: impl IntoIterator<Item = &'e Expr<'a>>) {
        expressions.into_iter().for_each(|expression| self.expression(expression));
    }

    fn arguments(&mut self, arguments: &[CallArg<'_>]) {
        for argument in arguments {
            match argument {
                CallArg::Pos(value)
                | CallArg::Kwarg(_, value)
                | CallArg::PosSplat(value)
                | CallArg::KwargSplat(value) => {
                    self.expression(value);
                }
            }
        }
    }

    fn expression(&mut self, expression: &Expr<'_>) {
        match expression {
            Expr::Var(_) | Expr::Const(_) => {}
            Expr::Slice(found) => {
                self.expressions(
                    [&found.expr]
                        .into_iter()
                        .chain(&found.start)
                        .chain(&found.stop)
                        .chain(&found.step),
                );
            }
            Expr::UnaryOp(found) => self.expression(&found.expr),
            Expr::BinOp(found) => {
                let grows = matches!(found.op, BinOpKind::Add | BinOpKind::Concat | BinOpKind::Mul);
                let both = |meter: &mut Self| meter.expressions([&found.left, &found.right]);
                if grows { self.around(found.span(), both) } else { both(self) }
            }
            Expr::Compare(found) => {
                self.expressions(
                    [&found.expr].into_iter().chain(found.ops.iter().map(|op| &op.expr)),
                );
            }
            Expr::IfExpr(found) => {
                self.expressions(
                    [&found.true_expr, &found.test_expr].into_iter().chain(&found.false_expr),
                );
            }
            Expr::Filter(found) => {
                self.expressions(&found.expr);
                self.arguments(&found.args);
                // The place of a filter is that of its name, so that the meter comes after it.
                self.edits.push((end(found.span()), format!("|{VALUE}")));
            }
            Expr::Test(found) => {
                self.expression(&found.expr);
                self.arguments(&found.args);
            }
            Expr::GetAttr(found) => self.expression(&found.expr),
            Expr::GetItem(found) => self.expressions([&found.expr, &found.subscript_expr]),
            Expr::Call(found) => self.call(found),
            Expr::List(found) => self.around(found.span(), |meter| meter.expressions(&found.items)),
            Expr::Tuple(found) => self.tuple(&found.items, found.span()),
            Expr::Map(found) => {
                self.around(found.span(), |meter| {
                    meter.expressions(found.keys.iter().chain(&found.values))
                });
            }
        }
    }

    fn call(&mut self, found: &Spanned<Call<'_>>) {
        self.around(found.span(), |meter| {
            meter.expression(&found.expr);
            meter.arguments(&found.args);
        });
    }

    /// A tuple without parentheses has no place of its own, so that nothing can be put around it: it is
    /// more than anything may cost.
    fn tuple(&mut self, items: &[Expr<'_>], span: Span) {
        let has_place = items.first().is_none_or(|first| begin(first.span()) > begin(span));
        match has_place {
            true => self.around(span, |meter| meter.expressions(items)),
            false => {
                self.edits.push((begin(span), format!("{TEXT}({}),", usize::MAX)));
                self.expressions(items);
            }
        }
    }

    /// Hands the value of an expression to the meter.
    fn around(&mut self, span: Span, inside: impl FnOnce(&mut Self)) {
        self.edits.push((begin(span), format!("{VALUE}(")));
        inside(self);
        self.edits.push((end(span), ")".to_owned()));
    }

    fn text(&mut self, text: &str) {
        if text.len() <= SHORT {
            return;
        }
        let Some(at) = (text.as_ptr() as usize).checked_sub(self.source.as_ptr() as usize) else {
            return;
        };
        let before = &self.source[..at];
        let tag = before
            .rfind("{%")
            .filter(|tag| before[*tag..].trim_matches(['{', '%', '}', '-', '+', ' ']) == "raw");
        self.edits.push((tag.unwrap_or(at), format!("{{{{{TEXT}({})}}}}", text.len())));
    }
}

fn begin(span: Span) -> usize {
    usize::try_from(span.start_offset).unwrap_or(usize::MAX)
}

fn end(span: Span) -> usize {
    usize::try_from(span.end_offset).unwrap_or(usize::MAX)
}
