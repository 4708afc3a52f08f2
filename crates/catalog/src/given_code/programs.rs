//! Programs that run code from their arguments, and programs that start others. Words in a string
//! are separated by spaces; names have no version.

/// A program that runs text as code. Its first argument is a script; the arguments after that
/// belong to the script.
pub(super) struct Interpreter {
    pub(super) names: &'static str,
    /// The letters after one dash that make it run the next argument.
    pub(super) letters: &'static str,
    /// Long flags and subcommands that do the same.
    pub(super) words: &'static str,
    /// Flags whose value is the next word, which is not a script then.
    pub(super) with_value: &'static str,
}

const fn interpreter(
    names: &'static str,
    letters: &'static str,
    words: &'static str,
    with_value: &'static str,
) -> Interpreter {
    Interpreter { names, letters, words, with_value }
}

pub(super) const SHELLS: &str = "sh bash rbash zsh dash ksh rksh mksh ash yash osh fish csh tcsh nu elvish pwsh powershell \
     xonsh ion posh loksh murex hush es rc scsh execlineb";

#[rustfmt::skip]
pub(super) static INTERPRETERS: [Interpreter; 26] = [
    interpreter("pwsh powershell", "cCeEf", "-command -encodedcommand", "-ExecutionPolicy -WorkingDirectory"),
    interpreter(SHELLS, "c", "--command --commands --init-command", "-o +o -O +O --rcfile --init-file"),
    interpreter("python pypy ipython bpython ptpython jython micropython graalpy rustpython sage python3-dbg py hy", "c", "", "-W -X -Q"),
    interpreter("perl ruby jruby mruby truffleruby irb raku rakudo", "eE", "", "-I -r -C -M -x"),
    interpreter("node nodejs electron tsx ts-node ts-node-esm babel-node esno jiti vite-node zx qjs js d8 rhino coffee", "ep", "--eval --print", "-r --require --import --loader"),
    interpreter("deno bun", "ep", "eval repl --eval --print", "-r --require --preload --import-map"),
    interpreter("php", "rRBE", "--run --process-code", "-d -c"),
    interpreter("lua luajit texlua", "e", "", "-l"),
    interpreter("osascript ghc runghc ocaml groovy scala kotlin swift clojure clj bb nbb joker io gosh gsi csi kawa abcl mit-scheme chibi-scheme", "e", "--eval", "-l -cp -classpath"),
    interpreter("elixir iex julia", "eE", "--eval --print --rpc-eval", "-r -S -L --load --sname"),
    interpreter("erl", "", "-eval", "-s -run -pa -pz -name -sname"),
    interpreter("Rscript R r littler", "e", "--expression", "-g"),
    interpreter("tclsh wish expect", "c", "", ""),
    interpreter("guile", "c", "", "-l -e -L -x"),
    interpreter("racket", "e", "--eval", "-l -t -f -u -r -I"),
    interpreter("sbcl ecl ccl", "", "--eval -eval", "--load -load --core"),
    interpreter("clisp", "x", "", "-i -M -E"),
    interpreter("swipl prolog", "", "", "-g -t -f -s -l -p --goal"),
    interpreter("octave matlab wolframscript maxima", "r", "--eval -batch -code --batch-string --run-string", "-p --path"),
    interpreter("jshell crystal gforth janet fennel newlisp", "e", "eval --eval", "--class-path"),
    interpreter("gnuplot", "e", "", ""),
    interpreter("gjs cjs", "c", "--command", "-I --include-path"),
    interpreter("v rdmd scilab pike bqn resty amm", "e", "--eval --code -c", "-I"),
    interpreter("rust-script evcxr", "e", "--expr --loop", "-d --dep"),
    // Their first argument is a script.
    interpreter("escript kscript jbang cling tcc rexx regina phantomjs casperjs slimerjs ncl fsharpi fsi lean asy newlisp", "", "", ""),
    interpreter("mono wine wasmtime wasmer", "", "", "--config --dir --env"),
];

/// Flags of interpreters that name a script or a module.
pub(super) const SCRIPT_FLAGS: &str = "-f --file -m --module --script --load";

/// Words between an interpreter and its script.
pub(super) const SUBCOMMANDS: [(&str, &str); 2] = [("deno", "run test"), ("crystal", "run")];

/// Arguments of a program that are code, or name a file or a program that it runs.
pub(super) struct Form {
    pub(super) names: &'static str,
    /// The subcommand; alternatives are separated by `|`.
    pub(super) after: &'static str,
    /// The arguments that are code: values of flags (a flag such as `java -agentpath:…` is listed
    /// with its colon), and
    ///
    /// - `first`, `all`: arguments that are not flags;
    /// - `script`: the first argument, unless a flag has given the code;
    /// - `command`: a program and its arguments, `operand-command`: the same after one other
    ///   argument;
    /// - `stdin`: standard input;
    /// - `assignments`: the value of any `NAME=`;
    /// - `early`: nothing after the first argument, which is a subcommand with flags of its own.
    pub(super) code: &'static str,
    /// Other flags whose value is the next word.
    pub(super) with_value: &'static str,
}

const fn form(names: &'static str, after: &'static str, code: &'static str) -> Form {
    Form { names, after, code, with_value: "" }
}

impl Form {
    const fn with_values(self, with_value: &'static str) -> Self {
        Self { with_value, ..self }
    }
}

#[rustfmt::skip]
pub(super) static FORMS: &[Form] = &[
    // Text processing.
    form("awk gawk mawk nawk", "", "script -f --file -e --source -i --include -l --load -E --exec").with_values("-F -v --field-separator --assign"),
    // `e` in a script runs a command.
    form("sed gsed", "", "script -e --expression -f --file").with_values("-l --line-length"),
    form("sort gsort", "", "--compress-program"),
    form("split gsplit", "", "--filter"),
    form("less more most", "", "+ -k --lesskey-file --lesskey-src --lesskey-content"),
    form("man", "", "-P --pager -H --html -C --config-file"),
    form("pandoc", "", "-F --filter -L --lua-filter -d --defaults --pdf-engine --data-dir"),
    form("latexmk", "", "-e -r -latex -pdflatex -lualatex -xelatex -pretex -usepretex"),
    form("tex latex pdftex pdflatex xetex xelatex luatex lualatex luahbtex", "-shell-escape|--shell-escape|-enable-write18|--enable-write18", "all"),
    form("gs ghostscript", "", "all stdin -c -f"),
    form("dc", "", "all stdin -e --expression -f --file"),
    form("ed red", "", "all stdin"),
    form("vi vim vimdiff gvim rvim nvim ex view", "", "all -c --cmd -S -s -u -U +"),
    form("emacs", "", "all -l --load -f --funcall -x --script --eval --execute -eval -load -funcall"),
    form("nano", "", "-s --speller"),
    form("m4 gm4", "", "all stdin"),
    form("mlr", "put|filter|tee|split", "all -s -f"),
    form("rg", "", "--pre --hostname-bin"),
    form("fd fdfind", "", "-x -X --exec --exec-batch"),
    form("ag ack bat batcat delta", "", "--pager"),
    form("fzf", "", "--preview --bind"),
    form("diff3 sdiff", "", "--diff-program"),
    form("install ginstall", "", "--strip-program"),
    form("doxygen", "", "first stdin"),
    form("sphinx-build", "", "-c -D"),
    form("quarto", "run|render|preview", "first"),
    form("jupyter", "run|execute|nbconvert|console", "all"),
    form("papermill", "", "first"),

    // Version control.
    form("git", "", "early first -c --config-env --exec-path").with_values("-C --git-dir --work-tree --namespace"),
    form("git", "config|submodule foreach|for-each-repo", "all"),
    form("git", "bisect run", "command"),
    form("git", "rebase", "-x --exec"),
    form("git", "filter-branch", "--setup --env-filter --tree-filter --index-filter --parent-filter --msg-filter --commit-filter --tag-name-filter"),
    form("git", "grep", "-O --open-files-in-pager"),
    form("git", "difftool", "-x --extcmd"),
    form("git", "clone", "-u --upload-pack -c --config --template"),
    form("git", "init", "--template"),
    form("git", "fetch|pull|push|ls-remote|fetch-pack|send-pack|archive", "--upload-pack --receive-pack --exec"),
    form("git", "send-email", "--to-cmd --cc-cmd --header-cmd --sendmail-cmd --smtp-server"),
    form("git", "instaweb", "-d --httpd -b --browser"),
    form("hg", "", "first --config --ssh --remotecmd"),
    form("hg", "clone|push|pull|incoming|outgoing", "-e"),
    form("hg", "bisect", "-c --command"),
    form("svn", "", "--config-option --config-dir --diff-cmd --diff3-cmd --editor-cmd"),
    form("jj", "", "early first --config --config-file"),
    form("jj", "util exec", "command"),

    // Databases: `.shell`, `\!`, `system` and the like run programs.
    form("sqlite sqlcipher duckdb", "", "all stdin -cmd -init -c -s -f").with_values("-separator -newline -nullvalue -vfs"),
    form("psql", "", "stdin -c --command -f --file"),
    form("mysql mariadb", "", "stdin -e --execute --init-command --pager --plugin-dir --defaults-file --defaults-extra-file"),
    form("mongo mongosh", "", "all stdin -f --file --eval"),
    form("redis-cli", "", "first --eval"),
    form("beeline hive spark-sql", "", "-e -f -i"),
    form("sqlplus", "", "all stdin"),

    // Debuggers.
    form("gdb lldb", "", "first stdin -ex -iex -x -ix -eval-command --eval-command --command --init-command -o -s -O -S"),
    form("pdb timeit profile cProfile trace runpy", "", "all stdin -s -n -c"),
    form("bpftrace stap", "", "all -e -c"),
    form("gdbserver", "", "operand-command"),
    form("coverage", "run", "first -m --rcfile"),
    form("perf", "record|stat|trace", "command"),
    form("rr", "record", "command"),

    // Builds.
    form("make gmake", "", "assignments -f --file --makefile --eval -I --include-dir -C --directory"),
    form("cmake", "", "-P -C --toolchain -DCMAKE_TOOLCHAIN_FILE -DCMAKE_C_COMPILER -DCMAKE_CXX_COMPILER -DCMAKE_MAKE_PROGRAM"),
    form("cmake", "-E", "first"),
    form("cmake", "-E env|-E time", "command assignments"),
    form("cmake", "-E chdir", "operand-command"),
    form("ctest", "", "-S --script --build-and-test"),
    form("ninja samu", "", "-f -C"),
    form("just", "", "-c --command -f --justfile -d --working-directory --shell --shell-arg --chooser"),
    form("rake", "", "-e -E -p -r -R -I -f --execute --execute-print --execute-continue --require --rakefile --rakelibdir"),
    form("tox nox", "", "-c --conf -x --override -f --noxfile"),
    form("pytest", "", "-p -c --config-file --rootdir -o --override-ini --pdbcls"),
    form("mocha jest vitest", "", "-r --require -c --config --globalSetup --runner"),
    form("gcc g++ cc c++ clang clang++ gfortran ld", "", "-wrapper -fplugin -fpass-plugin -B -specs --specs -fuse-ld --ld-path -load -plugin --plugin -iplugindir"),
    form("ar nm ranlib strip objcopy", "", "--plugin"),
    form("rustc rustdoc clippy-driver", "", "-C --codegen -Z --extern --sysroot --test-builder --test-runtool"),
    form("rustup", "run", "operand-command"),
    form("protoc", "", "--plugin"),
    form("rails", "runner|r", "all"),
    form("wp drush", "eval|eval-file|php:eval|php:script", "all"),
    form("wp", "", "--exec --require --ssh"),
    form("mix", "run|eval|cmd", "all -e --eval --require"),
    form("sbt", "", "all"),
    form("stack cabal dune opam", "exec|run|runghc", "command"),
    form("pylint", "", "--init-hook --load-plugins --rcfile"),
    form("mypy flake8", "", "--config --config-file"),
    form("eslint stylelint webpack rollup vite babel", "", "-c --config --plugin --parser --rulesdir"),
    form("nodemon watchexec concurrently pm2", "", "all -x --exec -s --shell"),
    form("gunicorn uvicorn hypercorn celery flask", "", "first -c --config -A --app"),
    form("torchrun accelerate deepspeed spark-submit", "", "all -m"),
    form("streamlit marimo nextflow", "run", "first"),
    form("snakemake", "", "-s --snakefile --shell-exec --wrapper-prefix --cluster"),
    form("nim", "", "early first --eval:"),
    form("nim", "e|r|c|cpp|js|compile", "all"),
    form("java", "", "script -jar -cp -classpath --class-path -p --module-path -m --module -agentpath: -agentlib: -javaagent: -Xbootclasspath: -Xbootclasspath/a: -XX:OnError -XX:OnOutOfMemoryError -XX:Flags"),
    form("javac", "", "-processor -processorpath --processor-path -J"),
    form("mvn mvnw", "", "first -f --file -s --settings -Dexec.executable -Dexec.args -Dexec.mainClass"),
    form("gradle gradlew ant", "", "-f -file --file -buildfile -b --build-file -I --init-script -p --project-dir -lib"),
    form("bazel bazelisk", "run", "all"),
    form("bazel bazelisk", "", "early first --bazelrc"),
    form("bazel bazelisk", "run|test|build", "--run_under --shell_executable"),
    form("go", "", "early first"),
    form("go", "run|install|generate|tool", "first"),
    form("go", "build|test|vet|list|install|run|get", "-exec -toolexec -vettool -overlay -ldflags -C"),
    form("cargo", "", "first --config --manifest-path -C"),
    form("cargo", "install", "all --git --path --root"),
    form("dotnet", "", "first"),
    form("dotnet", "run|exec|tool run|script|build|test", "first --project"),
    form("terraform tofu", "", "first -chdir"),

    // Packages: installing one runs its code, and some programs run the program in it.
    form("npm", "", "first -c --call --node-options --script-shell"),
    form("npm", "exec|x|install|i|add|init|create", "all"),
    form("pnpm yarn", "", "first -c --call --node-options --script-shell"),
    form("pnpm yarn", "exec|dlx|add|install|create|node", "all"),
    form("npx pnpx bunx uvx", "", "first -c --call -p --package --from --with --node-options"),
    form("bun", "x|add|install|create", "all"),
    form("uv", "", "early first"),
    form("uv", "run|tool run", "first -m --module -s --script -p --python --with --with-editable --with-requirements").with_values("--directory --project --extra --group --env-file"),
    form("uv", "add|pip install|tool install", "all -r --requirement --requirements -e --editable"),
    form("pipx", "", "early first"),
    form("pipx", "run|install|inject", "first --spec --pip-args --index-url -i"),
    form("pip", "install|download|wheel", "all -r --requirement -e --editable -i --index-url --extra-index-url -f --find-links"),
    form("composer", "exec|require|create-project", "all"),
    form("rbenv pyenv nodenv asdf mise volta fnm", "exec|run|x", "command"),
    form("gem brew", "install", "all"),
    form("conda mamba micromamba", "install|create", "all -f --file"),
    form("conda mamba micromamba", "run", "command").with_values("-n --name -p --prefix --cwd"),
    form("bundle", "", "early first"),
    form("bundle", "exec", "command"),
    form("poetry pdm hatch pipenv rye", "run", "command"),
    form("poetry pdm hatch pipenv rye", "add", "all"),
    form("nix", "run|shell|develop|build|eval|flake", "all -c --command --expr -f --file"),
    form("nix-shell nix-build nix-env nix-instantiate", "", "all stdin --run --command -E --expr -p --packages -I"),
    form("R", "CMD BATCH|CMD INSTALL|CMD Rscript", "all"),
    form("apt apt-get apt-cache aptitude", "", "-o --option -c --config-file"),
    form("apt apt-get aptitude", "install", "all"),
    form("dpkg", "", "-i --install --unpack"),
    form("rpm", "", "-E --eval -D --define --pipe --load --macros --rcfile -i -U -F --install --upgrade -ivh -Uvh"),
    form("dnf yum zypper", "install|localinstall", "all"),
    form("apk", "add", "all"),
    form("pacman", "", "-U --config --hookdir"),

    // Archives, transfers and the network.
    form("tar gtar bsdtar", "", "--to-command --checkpoint-action -I --use-compress-program -F --info-script --new-volume-script --rsh-command --rmt-command"),
    form("cpio", "", "--rsh-command --to-command"),
    form("zip", "", "-TT --unzip-command"),
    form("rsync", "", "-e --rsh --rsync-path -M --remote-option"),
    form("ssh rsh mosh", "", "all stdin -o -F -S -D --ssh --server"),
    form("scp sftp", "", "first -o -F -S -D -b"),
    form("sftp ftp lftp", "", "stdin -c -e -f"),
    form("socat", "", "all"),
    form("nc ncat netcat", "", "-e -c --exec --sh-exec --lua-exec"),
    form("curl", "", "-K --config"),
    form("wget", "", "--use-askpass -e --execute --config"),
    form("aria2c", "", "--conf-path --on-download-start --on-download-pause --on-download-stop --on-download-complete --on-download-error --on-bt-download-complete"),
    form("yt-dlp youtube-dl", "", "--exec --exec-before-download --downloader --external-downloader --config-location --config-locations --plugin-dirs --netrc-cmd --ffmpeg-location"),
    form("tcpdump", "", "-z --postrotate-command"),
    form("nmap", "", "--script --script-args-file --datadir"),
    form("openssl", "", "-engine -provider -provider-path"),
    form("openssl", "engine", "all"),
    form("gpg", "", "--agent-program --dirmngr-program --photo-viewer --options --homedir"),
    form("ssh-keygen", "", "-D"),
    form("ssh-add", "", "-s"),
    form("smbclient", "", "stdin -c --command"),
    form("tshark wireshark", "", "-X"),
    form("sendmail exim", "", "-be -C -D -O -X"),
    form("nginx apache2 httpd", "", "-c -C -f -g -d"),
    form("mpv", "", "--script --scripts --include --config-dir"),
    form("blender gimp", "", "-P --python --python-expr -b --batch"),
    form("openvpn", "", "all --config --up --down --plugin --route-up --tls-verify --auth-user-pass-verify"),
    form("mutt neomutt", "", "-e -F"),
    form("ansible", "", "-a --args -m --module-name -M -e --extra-vars -i --inventory"),
    form("ansible-playbook", "", "all -e --extra-vars -i --inventory -M"),

    // Containers and remote machines.
    form("docker podman nerdctl", "", "early first").with_values("-H --host --context --config -l --log-level"),
    form("docker podman nerdctl", "run|exec|create|container run|container exec|container create|compose run|compose exec", "operand-command --entrypoint")
        .with_values("-v --volume -e --env --env-file --name -w --workdir -u --user --network -p --publish --mount -l --label"),
    form("docker podman nerdctl buildah", "build|buildx build", "all stdin -f --file"),
    form("apptainer singularity", "exec|run", "operand-command").with_values("-B --bind -H --home --env --pwd"),
    form("crictl", "exec", "operand-command"),
    form("systemd-nspawn", "", "all"),
    form("toolbox distrobox", "run|enter|create", "all"),
    form("ip", "netns exec", "operand-command"),
    form("pssh pdsh clush dsh", "", "all"),
    form("gcloud", "compute ssh", "all --command --ssh-flag"),
    form("heroku", "run", "all"),
    form("helm", "", "--post-renderer"),
    form("docker-compose podman-compose", "run|exec", "operand-command --entrypoint -f --file"),
    form("lxc", "exec", "operand-command"),
    form("kubectl oc", "", "early first --kubeconfig"),
    form("kubectl oc", "exec", "operand-command").with_values("-n --namespace -c --container --context"),
    form("kubectl oc", "run|debug", "all --image --overrides"),
    form("vagrant", "ssh", "-c --command"),
    form("flatpak snap", "run", "first --command"),

    // Schedulers, sessions and programs that take a command line as text.
    form("at batch", "", "all stdin -f"),
    form("sbatch qsub", "", "first stdin --wrap --prolog --epilog"),
    form("xterm rxvt urxvt gnome-terminal konsole alacritty kitty foot", "", "all -e --command"),
    form("crontab", "", "first stdin"),
    form("tmux screen byobu", "", "all -c -f"),
    form("hyperfine", "", "all -p --prepare -c --cleanup -s --setup -S --shell"),
    form("watch parallel mispipe", "", "all stdin -S --shebang --wrap"),
    form("script su runuser sg flock", "", "-c --command -s --shell --session-command"),
    form("env", "", "-S --split-string assignments"),
    form("find", "", "-exec -execdir -ok -okdir"),
    form("entr", "", "-s"),
    form("bwrap", "", "all"),
    form("capsh", "--", "all"),
    form("capsh", "", "--shell"),
    form("start-stop-daemon", "", "-x --exec -a --startas"),
    form("run-parts logrotate xdg-open", "", "first"),
    form("dotenv dotenvx", "run", "command"),
    form("django-admin manage.py", "shell", "-c --command"),
    form("gpg-connect-agent", "", "all stdin --run"),
    form("redis-cli", "eval|EVAL", "first"),
    form("ctr", "run|container create|tasks exec", "all"),
    form("buildah", "run|from", "operand-command"),
    form("machinectl", "shell|login", "operand-command"),
    form("emacsclient", "", "-e --eval -a --alternate-editor"),
    form("kak", "", "-e -E"),
    form("dlv", "exec|debug|test", "first --init"),
    form("zig nim odin dart dub gleam hare spago scala-cli", "run", "first"),
    form("lein", "run|eval|exec", "all"),
    form("cwltool procmail", "", "first"),
    form("sphinx-build lilypond", "", "first"),
    form("asciidoctor", "", "-r --require -T --template-dir -I"),
    form("prettier", "", "--plugin --config"),
    form("lerna npm-run-all", "exec", "all"),
    form("asciinema ttyrec termtosvg", "", "-c --command -e"),
    form("asciinema", "rec", "-c --command"),
    form("chokidar", "", "-c --command"),
    form("cargo", "watch", "-x -s --exec --shell"),
    form("kernprof memray pyinstrument viztracer scalene", "", "first -m"),
    form("memray mprof py-spy", "run|record|top", "command"),
    form("nsys", "profile|launch", "command"),
    form("sops", "exec-env|exec-file", "operand-command"),
    form("envchain summon teller berglas devbox goreman flox pixi jenv goenv", "run|exec", "command"),
    form("nvm", "exec|run", "operand-command"),
    form("direnv aws-vault chamber", "exec", "operand-command"),
    form("op doppler infisical foreman honcho", "run", "command"),
    form("ld.so ld-linux-x86-64.so ld-linux.so ld-linux-aarch64.so", "", "first --preload --library-path --audit"),

    // Flags whose values could be mistaken for a program. Every flag outside `PLAIN_FLAGS` is
    // assumed to have a value, so only flags of `PLAIN_FLAGS` need an entry here.
    form("time", "", "").with_values("-f"),
    form("strace ltrace", "", "").with_values("-p -x -E"),
    form("sudo", "", "").with_values("-p -r -t"),
    form("sshpass", "", "").with_values("-p -f"),
    form("proxychains dotenv", "", "").with_values("-f"),
    form("proot", "", "").with_values("-r -b -w"),
    form("xvfb-run", "", "").with_values("-e -f -p -w"),
    form("cpulimit systemd-run", "", "").with_values("-p -E -H"),
    form("rlwrap", "", "").with_values("-b -f -p -H -t"),
    form("chpst", "", "").with_values("-b"),
    form("numactl taskset", "", "").with_values("-p"),
    form("srun salloc mpirun mpiexec", "", "").with_values("-p -w -c -t -x -r -H"),
];

/// Local programs that start another program, which is named in their arguments.
pub(super) const WRAPPERS: &str = "linux32 linux64 i386 x86_64 fakeroot fakechroot eatmydata numactl env timeout \
    nice nohup setsid stdbuf ionice chrt taskset time xargs parallel sudo doas pkexec su runuser unshare nsenter \
    watch find busybox toybox exec command strace ltrace script prlimit setpriv systemd-run entr unbuffer \
    catchsegv bwrap firejail proot xvfb-run dbus-run-session tini dumb-init catatonit chpst softlimit torsocks \
    torify proxychains tsocks valgrind sshpass rlwrap cpulimit chronic ifne dotenv hyperfine ccache sccache distcc \
    ssh-agent dbus-launch srun salloc mpirun mpiexec wsl horovodrun forever daemonize daemon runcon caffeinate \
    systemd-inhibit systemd-cat run0 choom uclampset schedtool trickle nsjail minijail0 sandbox-exec aa-exec rootlesskit \
    pasta scan-build bear intercept-build heaptrack uftrace austin ncu cross-env cross-env-shell env-cmd pee tsp nq \
    xinit vglrun optirun primusrun prime-run gamemoderun mangohud please with-contenv s6-sudo gtime \
    qemu-x86_64 qemu-aarch64 qemu-arm qemu-i386";

/// Wrappers with one argument before the program: a file, a folder, a user or an architecture.
pub(super) const OPERAND_WRAPPERS: &str = "setarch chroot flock sg gosu su-exec setuidgid s6-setuidgid envdir s6-envdir setlock logsave \
     faketime dtach abduco s6-envuidgid envuidgid kcov cgexec pidproxy jexec lockf";

/// Flags of wrappers that take no value, so that the next word may be the program.
pub(super) const PLAIN_FLAGS: &str = "-- -0 -r -t -p -x --null --no-run-if-empty --verbose -i --ignore-environment \
    --foreground --preserve-status -v -E -H -c -f -w --fork --wait -b --rm --interactive --tty --detach";

/// Flags whose value is a command or code in almost every program that has them.
pub(super) const CODE_FLAGS: &str = "--eval --exec --execute --exec-batch --command --cmd --shell-command --run-command \
    --pre-command --post-command --to-command --use-compress-program --rsh";

/// Programs that run code from files, with the flags and subcommands that precede the file name.
pub(super) static CODE_FILES: [(&str, &str); 6] = [
    ("awk gawk mawk nawk", "-f --file -E"),
    ("make gmake", "-f --file --makefile"),
    ("java", "-jar"),
    ("npx uv", "run"),
    ("cmake", "-P"),
    (
        "sed gsed git gdb lldb vi vim nvim ex view sqlite psql mysql mariadb ssh scp sftp rsync npm pnpm yarn \
         uvx pipx zip tar bsdtar ld.so ld-linux-x86-64.so ld-linux.so ld-linux-aarch64.so",
        "",
    ),
];
