//! TeX formulas as plain text: `\eqn{\alpha \le 1}` reads `α ≤ 1`.
//!
//! Formulas in the documentation of R functions are short. Symbols become Unicode characters,
//! structure becomes the usual one-line notation, and an unknown command becomes its name.

/// Commands that stand for a character.
const SYMBOLS: [(&str, &str); 68] = [
    ("alpha", "α"),
    ("beta", "β"),
    ("gamma", "γ"),
    ("delta", "δ"),
    ("epsilon", "ε"),
    ("varepsilon", "ε"),
    ("zeta", "ζ"),
    ("eta", "η"),
    ("theta", "θ"),
    ("iota", "ι"),
    ("kappa", "κ"),
    ("lambda", "λ"),
    ("mu", "μ"),
    ("nu", "ν"),
    ("xi", "ξ"),
    ("pi", "π"),
    ("rho", "ρ"),
    ("sigma", "σ"),
    ("tau", "τ"),
    ("phi", "φ"),
    ("varphi", "φ"),
    ("chi", "χ"),
    ("psi", "ψ"),
    ("omega", "ω"),
    ("Gamma", "Γ"),
    ("Delta", "Δ"),
    ("Theta", "Θ"),
    ("Lambda", "Λ"),
    ("Pi", "Π"),
    ("Sigma", "Σ"),
    ("Phi", "Φ"),
    ("Psi", "Ψ"),
    ("Omega", "Ω"),
    ("times", "×"),
    ("cdot", "·"),
    ("div", "÷"),
    ("pm", "±"),
    ("le", "≤"),
    ("leq", "≤"),
    ("ge", "≥"),
    ("geq", "≥"),
    ("ne", "≠"),
    ("neq", "≠"),
    ("approx", "≈"),
    ("sim", "~"),
    ("equiv", "≡"),
    ("propto", "∝"),
    ("infty", "∞"),
    ("sum", "∑"),
    ("prod", "∏"),
    ("int", "∫"),
    ("partial", "∂"),
    ("nabla", "∇"),
    ("in", "∈"),
    ("notin", "∉"),
    ("subset", "⊂"),
    ("cup", "∪"),
    ("cap", "∩"),
    ("to", "→"),
    ("rightarrow", "→"),
    ("leftarrow", "←"),
    ("Rightarrow", "⇒"),
    ("ldots", "..."),
    ("cdots", "..."),
    ("dots", "..."),
    ("mid", "|"),
    ("quad", " "),
    ("prime", "'"),
];

/// Commands that change only the appearance of their argument or of the text that follows.
const STYLES: [&str; 14] = [
    "mathrm",
    "mathbf",
    "mathit",
    "mathcal",
    "mathbb",
    "text",
    "textbf",
    "textit",
    "boldsymbol",
    "operatorname",
    "left",
    "right",
    "displaystyle",
    "limits",
];

/// Converts a formula to plain text.
pub(super) fn to_text(formula: &str) -> String {
    let mut out = String::new();
    Reader { rest: formula }.push_until_brace(&mut out);
    out.split_whitespace().collect::<Vec<_>>().join(" ")
}

struct Reader<'a> {
    rest: &'a str,
}

impl Reader<'_> {
    /// Reads up to the brace that closes the group, or to the end.
    fn push_until_brace(&mut self, out: &mut String) {
        while let Some(c) = self.rest.chars().next() {
            match c {
                '}' => {
                    self.rest = &self.rest[1..];
                    return;
                }
                '\\' => self.push_command(out),
                '{' => out.push_str(&self.argument()),
                '^' | '_' => {
                    out.push(c);
                    self.rest = &self.rest[1..];
                    if self.rest.starts_with('{') {
                        out.push_str(&grouped(&self.argument()));
                    }
                }
                _ => {
                    out.push(c);
                    self.rest = &self.rest[c.len_utf8()..];
                }
            }
        }
    }

    fn push_command(&mut self, out: &mut String) {
        self.rest = &self.rest[1..];
        let length = self.rest.bytes().take_while(u8::is_ascii_alphabetic).count();
        let (name, rest) = self.rest.split_at(length);
        self.rest = rest;
        if name.is_empty() {
            let Some(escaped) = self.rest.chars().next() else { return };
            self.rest = &self.rest[escaped.len_utf8()..];
            // `\,` and the like are spaces; `\{` and `\%` are escaped characters.
            out.push(if ",;:! \\".contains(escaped) { ' ' } else { escaped });
            return;
        }
        if let Some((_, symbol)) = SYMBOLS.iter().find(|(known, _)| *known == name) {
            out.push_str(symbol);
            return;
        }
        match name {
            "frac" | "dfrac" | "tfrac" => {
                let over = grouped(&self.argument());
                out.push_str(&format!("{over}/{}", grouped(&self.argument())));
            }
            "sqrt" => out.push_str(&format!("√{}", grouped(&self.argument()))),
            // The argument, if there is one, is read next like any other group.
            _ if STYLES.contains(&name) => {}
            // Other commands, such as `\log(x)` and `\hat{x}`, are written as a function call.
            _ => {
                out.push_str(name);
                if self.rest.starts_with('{') {
                    out.push_str(&format!("({})", self.argument()));
                }
            }
        }
    }

    /// Reads the next group as plain text.
    fn argument(&mut self) -> String {
        let mut out = String::new();
        if let Some(inner) = self.rest.strip_prefix('{') {
            self.rest = inner;
            self.push_until_brace(&mut out);
        }
        out
    }
}

/// Puts text in parentheses if an operator next to it would split it.
fn grouped(text: &str) -> String {
    let is_simple = text.chars().all(|c| c.is_alphanumeric() || c == '.');
    if is_simple { text.to_owned() } else { format!("({text})") }
}

#[cfg(test)]
mod tests {
    use super::to_text;

    #[test]
    fn formulas_read_as_text() {
        for (formula, text) in [
            (r"\alpha + \beta", "α + β"),
            (r"0 \le x \leq \infty", "0 ≤ x ≤ ∞"),
            (r"\frac{n - 1}{2}", "(n - 1)/2"),
            (r"\sqrt{x^{2} + y^{n+1}}", "√(x^2 + y^(n+1))"),
            (r"\hat{\mu}_i = \frac{1}{n}\sum_{j} x_{ij}", "hat(μ)_i = 1/n∑_j x_ij"),
            (r"\log(\mathrm{odds}) \, \approx \left( a \right)", "log(odds) ≈ ( a )"),
            (r"100\% \foo", "100% foo"),
            (r"\frac{a", "a/"),
        ] {
            assert_eq!(to_text(formula), text, "{formula}");
        }
    }
}
