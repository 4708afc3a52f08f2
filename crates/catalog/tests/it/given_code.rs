//! Command lines with an argument of the caller that is code, and others in which it is data.
//!
//! `{}` is an argument on the command line, `--flag={}` the value of a flag in the same word,
//! `{stdin}` text on standard input, `{json}` all arguments on standard input, `{file}` a file with
//! the argument.

use catalog::implementation::{Binding, PassBy, Piece, Process, Separator};

/// Groups whose flags are tested both as words of `command` and as flags of parameters.
const WITH_OPTIONS: [&str; 2] = ["git and other version control", "flags"];

/// Groups of command lines that need approval.
const ASKED: &[(&str, &str)] = &[
    (
        "shells and interpreters",
        "sh -c {}; /bin/bash -ec {}; bash -o pipefail -c {}; dash -c {}; zsh -c {}; fish -c {}; csh -c {}
         rbash -c {}; nu -c {}; pwsh -c {}; bash {}; /bin/sh {}; bash --rcfile {} -i; sh {stdin}; sh /dev/stdin {stdin}
         bash {file}; sh {json}; python3 -u {json}; python3 -c {}; /usr/bin/python3.12 -W ignore -Ic {}; python3 {}; python3 - {stdin}
         python3 -m {}; python3 -m timeit {}; python3 -m pip install {}; python3 -m pdb -c {} x.py; ipython -c {}
         pypy3 -c {}; micropython -c {}; perl -e {}; perl -ne {}; perl -pe {}; perl -M{} x.pl; perl -I {} x.pl
         ruby -e {}; ruby -r {} x.rb; irb {}; irb {stdin}; node -e {}; node --eval {}; node -p {}; node -r {} x.js
         node --import={} x.js; tsx {}; tsx -e {}; ts-node -e {}; coffee -e {}; bun -e {}; bun run {}; deno eval {}
         deno run {}; deno run --allow-net {}; php -r {}; php -d {} x.php; lua -e {}; lua -l {} x.lua; texlua {}
         elixir -e {}; erl -eval {}; erl -s {}; scala -e {}; kotlin -e {}; groovy -e {}; ghc -e {}; julia -e {}
         R -e {}; R --file={}; Rscript -e {}; Rscript {}; tclsh {}; expect -c {}; guile -c {}; racket -e {}
         sbcl --eval {}; sbcl --load {}; clisp -x {}; swipl -g {}; octave --eval {}; matlab -r {}
         maxima --batch-string={}; ocaml {}; jshell {}; gnuplot -e {}; gnuplot {stdin}; mono {}; wine {}; R CMD BATCH {}",
    ),
    (
        "wrappers",
        "env {}; env -i {}; env sh -c {}; env FOO=1 sh -c {}; env -S {}; env -S{}; env LD_PRELOAD={} ls
         nice {}; nice -n 5 {}; nice -n 10 bash -c {}; timeout 5 {}; timeout 5 sh -c {}; timeout 5 env {}
         timeout 2 watch -n1 {}; timeout 2 awk {}; timeout 5 git rebase -x {}; timeout 5 sort --compress-program {}
         xargs {}; xargs -0 sh -c {}; xargs -a list -I{} {}; parallel {}; parallel grep {}; watch {}; watch ls {}
         entr {}; setsid {}; nohup {}; stdbuf -oL {}; ionice -c3 {}; chrt 1 {}; taskset 1 {}; time {}; time -f %e {}
         command {}; busybox {}; busybox sh -c {}; busybox awk {}; sudo {}; sudo -u root sh -c {}; doas {}; pkexec {}
         su -c {}; su root -c {}; runuser -c {}; runuser -u x -- {}; script -c {} x; script -qc {}; chroot / {}
         chroot / sh -c {}; flock x {}; flock x -c {}; flock x sh -c {}; setarch x86_64 {}; linux64 {}; i386 {}
         unshare {}; unshare --fork sh -c {}; nsenter -t 1 {}; setpriv {}; prlimit {}; systemd-run {}
         systemd-run -p Nice=5 --wait {}; bwrap --bind / / {}; firejail {}; proot -r / {}; fakeroot {}; fakechroot {}
         eatmydata {}; xvfb-run {}; xvfb-run -a {}; dbus-run-session {}; dbus-run-session -- {}; tini {}; tini -- {}
         dumb-init {}; gosu user {}; su-exec user {}; s6-setuidgid user {}; chpst {}; chpst -u user {}; softlimit {}
         envdir env {}; torsocks {}; proxychains {}; proxychains -f conf {}; valgrind {}; hyperfine {}
         hyperfine --prepare {} ls; sshpass -p x {}; rlwrap {}; cpulimit -l 50 {}; ltrace {}; strace {}
         strace -o log {}; perf record {}; rr record {}; numactl {}; unbuffer {}; chronic {}; logsave - {}; mispipe ls {}
         qemu-x86_64 {}; dotenv {}; sg group -c {}; capsh -- -c {}; start-stop-daemon --exec {}; run-parts {}
         find . -exec {}; find . -exec env {}; find . -exec sh -c {} ;; find . -execdir git -c {} log ;; find . -ok {}
         ld.so {}; /lib64/ld-linux-x86-64.so.2 {}; ccache {}; bash -c ls {}; timeout 5 nice -n 5 env xargs sh -c {}
         srun {}; srun -p part {}; sudo -p x {}; mpirun -n 4 {}; ssh-agent {}; faketime now {}; cgexec -g cpu:x {}
         runcon x sh -c {}; systemd-inhibit {}; choom -n 5 {}; cross-env A=1 {}; pee {}; daemonize {}; dotenv run {}
         pixi run {}; sops exec-env x {}; buildah run x {}; ctr run {}; machinectl shell x {}; kcov out {}; nsjail -- {}",
    ),
    (
        "unlisted programs",
        "own-wrapper bash -c {}; ./own.sh --fast python3 -c {}; own perl -ne {}; own run -- node --eval {}; own sh -ec {}
         own --exec {}; own --command={}; own --eval {}; own --cmd {}; own-archiver --use-compress-program {}; own --rsh={}",
    ),
    (
        "other interpreters",
        "xonsh -c {}; hy -c {}; posh -c {}; graalpy -c {}; python3-dbg -c {}; ptpython -c {}; mruby -e {}; babel-node -e {}
         zx {}; qjs -e {}; d8 {}; gjs -c {}; escript {}; rust-script {}; jbang {}; kscript {}; phantomjs {}; ncl {}; resty -e {}
         scilab -e {}; gosh -e {}; csi -e {}; zig run {}; dart run {}; django-admin shell -c {}; manage.py shell --command={}
         cwltool {}; emacsclient --eval {}; asciidoctor -r {}; redis-cli eval {}; gpg-connect-agent {}",
    ),
    (
        "git and other version control",
        "git {}; git -C x {}; git -c {} log; git -c alias.x={} x; git -C x -c {} log; git --exec-path={} log; git config {}
         git config core.pager {}; git config --global core.editor {}; git rebase -x {}; git rebase --exec {}
         git rebase --exec={} main; git -C x rebase -i -x {}; git bisect run {}; git bisect run sh -c {}
         git submodule foreach {}; git filter-branch --tree-filter {}
         git filter-branch --index-filter={}; git filter-branch --msg-filter {} HEAD; git grep -O{} x
         git grep --open-files-in-pager={} x; git difftool -x {}; git difftool --extcmd={}; git clone -u {} x
         git clone --upload-pack={} x; git clone -c {} x; git clone --config={} x; git clone --template={} x
         git fetch --upload-pack {} x; git push --receive-pack={} x; git ls-remote --upload-pack={} x
         git archive --exec={} x; git send-email --sendmail-cmd={} x; git init --template={}; hg {}; hg --config {} log
         hg log --config {}; hg clone -e {} x; svn --config-option {} log; svn diff --diff-cmd {}; svn --diff-cmd={} diff
         jj --config={} log",
    ),
    (
        "arguments after the first",
        "sqlite3 {}; sqlite3 db {}; sqlite3 -json db {}; sqlite3 -cmd {} db; sqlite3 db {stdin}; duckdb db {}; duckdb -c {}
         ssh {}; ssh host {}; ssh -p 22 host ls {}; ssh -o {} host; ssh -oProxyCommand={} host; scp -S {} a b
         sftp -b {} host; npm exec {}; npm exec -- {}; npm exec -c {}; npm install {}; npm x {}; npx {}; npx --package {} x
         pnpm exec {}; pnpm dlx {}; yarn dlx {}; pipx run {}; pipx run --spec {} x; uvx {}; uvx --from {} x
         uv run {}; uv run --with {} x.py; uv pip install {}; pip install {}; pip3 install -r {}; gem install {}
         cargo install {}; go run {}; docker run {}; docker run -it ubuntu {}; docker run --rm -v a:b ubuntu {}
         docker run ubuntu sh -c {}; docker run --entrypoint {} ubuntu; docker run --entrypoint={} ubuntu
         docker exec app {}; docker exec -u root app bash -c {}; docker -H unix:x exec app {}; docker compose run app {}
         docker-compose exec app {}; podman run {}; podman exec app {}; kubectl exec pod {}; kubectl exec pod -- {}
         kubectl -n x exec pod -c y -- {}; kubectl run x --image={}; lxc exec box {}; nix run {}; nix-shell --run {}
         nix eval --expr {}; poetry run {}; conda run {}; conda run -n env {}; bundle exec {}; direnv exec . {}
         op run {}; op run -- {}; foreman run {}; socat {} -; socat - {}; tmux new {}; tmux send-keys x {}; screen {}
         screen -dm {}; at -f {}; at now {stdin}; batch {}; batch {stdin}; crontab {}; crontab - {stdin}; xdg-open {}
         apptainer exec -B a:b image.sif {}; ip netns exec x {}; systemd-nspawn -D / {}; rustup run stable {}; mise exec -- {}
         sbatch {}; sbatch {stdin}; pdsh -w x {}; mix run -e {}; stack exec -- {}; quarto render {}; coverage run {}
         rails runner {}; xterm -e {}; m4 {}; m4 {stdin}",
    ),
    (
        "flags",
        "make -f {}; make -f - {stdin}; make --eval {}; make SHELL={}; make CC={} all; make -C {}; vim +{} f; vim {}
         vim -c {}; ex -c {} f; vi --cmd {}; nvim -es -c {}; sort --compress-program {} f; sort --compress-program={} f
         split --filter={} f; man -P {} ls; man --pager={} ls; tcpdump -z {}; pandoc --filter {}; pandoc --lua-filter={} x
         pandoc -F {}; gcc -wrapper {} x.c; gcc -fplugin={} x.c; gcc -B {} x.c; gcc -B{} x.c; clang++ -fplugin={} x.cc
         java {}; java -jar {}; java -cp {} Main; java -agentpath:{} x; java -javaagent:{} x; java -XX:OnError={} x
         go build -toolexec {}; go test -exec {}; go test -exec={} ./...; wget --use-askpass={} u; wget -e {} u
         latexmk -e {}; latexmk -r {} x; rpm --eval {}; rpm --pipe {}; rpm -i {}; dpkg -i {}
         apt-get -o {} update; apt-get install {}; cpio --rsh-command={}; rsync -e {} a b; rsync -avze {} a b
         rsync --rsh={} a b; rsync --rsync-path={} a b; tar --to-command={}; tar xf a.tar --to-command {}
         tar -cf x.tar --checkpoint=1 --checkpoint-action {} .; tar -I {} -xf a; tar -xI {} -f a
         tar --use-compress-program={} -xf a; tar -F {} -xf a; zip x.zip f -T -TT {}; zip -TT {}; curl -K {}; curl -sK {}
         curl --config={}; gdb -ex {}; gdb -batch -ex {}; gdb --eval-command={}; lldb -o {}; less +{} f; nmap --script {} h
         nmap --script={} h; psql -c {}; psql -Atc {}; psql db {stdin}; psql --command={}; mysql -e {}; mysql -Ne {}
         mysql --execute={}; mongosh --eval {}; awk {}; awk {} data; awk -F , {}; gawk -f {}; awk -f - {stdin}; mawk {} f
         sed {} f; sed s/x/{}; sed -e {} f; sed -f {} f; sed --expression={} f; nc -e {} h 1; ncat -c {} h
         ncat --sh-exec {} h; aria2c --on-download-complete={}; mutt -e {}; pytest -p {}; cargo --config {} build
         bazel build --run_under={} x; mvn -f {}; rake -e {}; openssl engine {}; ansible all -a {}; just --command {}
         rg --pre {} x; rg --pre={} x; fd -x {}; fd --exec={}; bat --pager={} x; install --strip-program={} a b
         rustc -C {} x.rs; rustc -Clinker={} x.rs; protoc --plugin={} x; pylint --init-hook={} x; eslint -c {} x
         sdiff --diff-program={} a b; smbclient x -c {}; blender -b -P {}; helm template x --post-renderer={}",
    ),
    (
        "programs",
        "git --no-pager {}; git submodule --quiet foreach --recursive {}; jj util exec -- {}; cmake -P {}; cmake -E env {}; cmake -E env sh -c {}; cmake -E {}; emacs --eval {}; emacs -batch -l {}; ed {}
         ed f {stdin}; dc {}; dc -e {}; gs {}; gs -c {}; nim e {}; nim --eval:{}; cargo {}; go {}; dotnet {}; docker {}
         npm {}; sed -n {}; pdflatex -shell-escape {}; yarn {}; kubectl {}; terraform {}",
    ),
];

/// Groups of ordinary command lines that need no approval.
const NOT_ASKED: &[(&str, &str)] = &[
    (
        "data files and filters",
        "ls {}; cat {}; grep {} {}; grep -r {} {}; head -n 5 {}; wc -l {}; sort {}; sort -k {} {}; split -l {} {}; tar xf {}
         tar -cf {} {}; zip x.zip {}; unzip {}; jq {} {}; jq -n {}; jq -f {}; diff {} {}; date -d {}; cut -d {} -f {}; less {}
         sed s/a/b/ {}; sed -n -e 1p {}; sed -n 1p {}; sed -i s/a/b/ {}; awk {print} {}; awk -F , {print} {}
         awk -v x={} {print} x; awk -f prog {}; find {} -name {}; find {} -exec wc -l ;; find . -name {} -exec cat x ;
         gcc -o {} {}; gcc -I {} x.c; pandoc {} -o {}; curl {}; curl -o {} {}; wget {}; rsync -av {} {}; man {}
         ffmpeg -i {} {}; psql -d {}; mysql -u {} db; openssl dgst {}; tcpdump -r {}; nmap -p {} host; pdflatex {}
         tee {}; cp {} {}; mkdir {}; rg {} {}; fd {}; install {} {}; bat {}; mlr --icsv head {}; protoc -I {} x.proto; dd if={} of={}",
    ),
    (
        "fixed scripts and programs",
        "sh run.sh -c {}; sh run.sh {}; sh --version; python3 tools/run.py -c {}; python3 -m http.server
         python3 tool.py {json}; python3 -m tool {json}; jq . {json}; python3 -m pytest {}; python3 -m json.tool {}; perl script.pl {stdin}; node app.js {}; Rscript a.R {}
         java -jar a.jar {}; java -cp a.jar Main {}; deno run a.ts {}; php x.php {}; timeout 5 ls {}; timeout 5 sh run.sh
         nice -n 10 make {}; env LANG=C sort {}; env -u HOME ls {}; xargs -0 grep {}; sudo ls {}; flock x ls {}
         chroot / ls {}; gosu user ls {}; docker exec app ls {}; docker run --rm ubuntu ls {}; docker logs {}; docker ps
         docker run -v a:b -w x ubuntu ls {}; kubectl exec pod -- ls {}; kubectl logs {}; poetry run black {}
         bundle exec rspec {}; conda run -n env ls {}; npx prettier {}; npm run build {}; npm test {}; npm run {}
         uv run tool.py {}; strace -o log ls {}; time -p ls {}; sudo -E ls {}; valgrind ./app {}; cmake -E env A=b ls {}; mpirun -n 4 ./app {}
         apptainer exec image.sif ls {}; own-wrapper bash run.sh {}; own --file {} --commandline; own sh {}",
    ),
    (
        "subcommands",
        "git log {}; git log --format={}; git -c color.ui=never log; git -c color.ui=never log {}; git commit -m {}; git show {}
         git diff {}; git add {}; git grep {}; git switch -c {}; git commit -c {}; git rebase {}; git bisect good {}; git clone {}
         git fetch {}; git log -S {}; git -C {} status; hg log {}; hg commit -m {}; svn log {}; cargo test {}; cargo build
         go test {}; go test -run {}; make {}; make -j {}; pytest {}; pytest -k {}; bazel test {}; terraform plan
         cmake --build {}; cmake -B {}; apt-cache show {}; pip show {}; npm view {}; gem list {}; helm template {}; quarto check {}; rustc {}; ip addr show {}; coverage report {}",
    ),
];

fn process(line: &str, as_options: bool) -> Process {
    let mut words = line.split_ascii_whitespace();
    let program = words.next().unwrap_or_default().to_owned();
    let mut pieces: Vec<Piece> = Vec::new();
    for word in words {
        let argument = Binding::positional("value");
        let piece = match (word, pieces.last()) {
            ("{}", Some(Piece::Word(flag))) if as_options && flag.starts_with('-') => {
                let option = Binding::option("value", flag);
                pieces.pop();
                Piece::Parameter(option)
            }
            ("{}", _) => Piece::Parameter(argument),
            ("{stdin}", _) => Piece::Parameter(Binding { pass_by: PassBy::Stdin, ..argument }),
            ("{file}", _) => Piece::Parameter(Binding { pass_by: PassBy::File, ..argument }),
            ("{json}", _) => Piece::Json,
            _ => match word.strip_suffix("{}") {
                Some(flag) => {
                    let name = flag.strip_suffix('=');
                    let separator = name.map_or(Separator::Nothing, |_| Separator::Equals);
                    let option = Binding::option("value", name.unwrap_or(flag));
                    Piece::Parameter(Binding { separator, ..option })
                }
                None => Piece::Word(word.to_owned()),
            },
        };
        pieces.push(piece);
    }
    Process { program, pieces }
}

/// Selects the command lines whose arguments contain code, or only data.
fn find_lines(groups: &[(&'static str, &'static str)], is_code: bool) -> Vec<String> {
    let mut found = Vec::new();
    for (class, lines) in groups {
        let asks = |line: &str, way| process(line, way).find_given_code().is_some() == is_code;
        let is_found =
            |line: &&str| asks(line, false) || WITH_OPTIONS.contains(class) && asks(line, true);
        let lines = lines.lines().flat_map(|line| line.trim().split("; ")).filter(is_found);
        found.extend(lines.map(|line| format!("{class}: {line}")));
    }
    found
}

#[test]
fn asks_about_every_argument_that_is_code() {
    assert_eq!(find_lines(ASKED, false), [""; 0]);
}

#[test]
fn does_not_ask_about_data() {
    assert_eq!(find_lines(NOT_ASKED, true), [""; 0]);
}

#[test]
fn examines_a_bounded_number_of_wrappers() {
    let line = format!("env {}ls", "-u env ".repeat(2_000));
    assert!(process(&line, false).find_given_code().is_some(), "it asks without examining all");
}
