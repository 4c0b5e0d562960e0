#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# Interpreters and virtual machines: they fork, spawn, catch signals and start threads of their own.
# shellcheck disable=SC2016 # for other shells and languages to expand

load ../fixture/job

setup() {
    new_job
    PYTHON=/usr/bin/python3
    NODE=/usr/bin/node
}

# recorded NAME: its endings, among those of the tools that it calls
recorded() {
    flush >/dev/null
    endings | grep "^$1 "
}

@test "python's multiprocessing works with fork, spawn and forkserver" {
    local method
    for method in fork spawn forkserver; do
        cat >"$BATS_TEST_TMPDIR/pool.py" <<'EOF'
import multiprocessing, os, sys

def square(n):
    return n * n, os.getppid() != 1

if __name__ == "__main__":
    multiprocessing.set_start_method(sys.argv[1])
    with multiprocessing.Pool(3) as pool:
        print(pool.map(square, range(10)))
    child = multiprocessing.Process(target=sys.exit, args=(7,))
    child.start()
    child.join()
    print(child.exitcode)
    print(sorted(os.listdir("/proc/self/fd"), key=int))
EOF
        unnoticed "$PYTHON" "$BATS_TEST_TMPDIR/pool.py" "$method"
    done
    flush
    [[ $(records | jq -c 'map(select(.cmdlineA[1] | endswith("/pool.py")) | .slurmT.end_source)') == '["fini","fini","fini"]' ]]
    # spawn's four workers, both resource trackers and the server are programs of their own
    [[ $(records | jq 'map(select(.cmdlineA[-1] == "--multiprocessing-fork")) | length') == 4 ]]
    [[ $(records | jq length) == 10 ]]
}

@test "python's os.fork with each way to end leaves one record" {
    unnoticed "$PYTHON" -c '
import os, sys
for end in (os._exit, sys.exit, lambda code: os.kill(os.getpid(), 9), lambda code: os.abort()):
    child = os.fork()
    if child == 0:
        end(4)
    print(os.waitpid(child, 0)[1], flush=True)
if os.fork() == 0:
    if os.fork() == 0:
        sys.exit(1)
    os.wait()
    sys.exit(2)
print(os.wait()[1])
sys.exit(5)'
    leaves "$PYTHON_NAME fini"
}

@test "python's subprocess starts tracked children, however it starts them" {
    unnoticed "$PYTHON" -c '
import os, subprocess, sys
program = sys.argv[1]
print(subprocess.call([program, "3"]))
print(subprocess.call([program, "3"], close_fds=False))
print(subprocess.call([program, "3"], preexec_fn=lambda: None, start_new_session=True))
print(subprocess.call(program + " 3", shell=True))
print(os.waitstatus_to_exitcode(os.system(program + " 3")))
os.waitpid(os.posix_spawn(program, [program, "3"], os.environ), 0)
print(subprocess.run(["cat"], input=b"through a pipe", stdout=subprocess.PIPE).stdout)
sys.exit(6)' "$PROGRAMS/exit_with"
    leaves "$(repeated 6 "exit_with fini")" "cat fini" "$PYTHON_NAME fini"
}

@test "python's threads and signals work" {
    unnoticed "$PYTHON" -c '
import concurrent.futures, faulthandler, signal, sys, threading
faulthandler.enable()
signal.signal(signal.SIGALRM, lambda *_: print("alarm", flush=True))
signal.setitimer(signal.ITIMER_REAL, 0.01)
signal.pause()
with concurrent.futures.ThreadPoolExecutor(8) as pool:
    print(sum(pool.map(len, ["x" * i for i in range(100)])))
threading.Thread(target=lambda: None, daemon=True).start()
sys.exit(7)'
    leaves "$PYTHON_NAME fini"
}

@test "perl forks, pipes, execs and runs its END blocks" {
    unnoticed perl -e '
        END { print "end $?\n" }
        $| = 1;
        print `echo backticks`;
        open my $pipe, "|-", "cat" or die; print $pipe "piped\n"; close $pipe;
        system $ARGV[0], 4; print $? >> 8, "\n";
        if (!fork) { exit 3 } wait; print $? >> 8, "\n";
        local $SIG{ALRM} = sub { print "alarm\n" }; kill ALRM => $$;
        die "dead\n"' "$PROGRAMS/exit_with"
    leaves "perl fini" "echo fini" "cat fini" "exit_with fini"
}

@test "R with a compiled package, forked workers and a system call ends as ever" {
    unnoticed Rscript --vanilla -e '
        suppressMessages(library(jsonlite)); library(parallel)
        cat(toJSON(list(a = 1:3)), "\n")
        print(unlist(mclapply(1:4, function(i) i^2, mc.cores = 2)))
        print(system2(commandArgs(TRUE)[1], "3"))
        print(solve(matrix(c(2, 0, 0, 2), 2)))
        print(sort(as.integer(list.files("/proc/self/fd"))))
        quit(status = 5)' "$PROGRAMS/exit_with"
    [[ $(recorded R) == "R fini" ]]
    [[ $(recorded exit_with) == "exit_with fini" ]]
}

# Makes Guest.class
java_class() {
    cat >"$BATS_TEST_TMPDIR/Guest.java" <<'EOF'
import java.io.File;
import java.util.stream.IntStream;

public class Guest {
    static String none;

    public static void main(String[] args) throws Exception {
        try {
            System.out.println(none.length());
        } catch (NullPointerException e) {
            System.out.println("null");
        }
        int deep = 0;
        try {
            deep = down(0);
        } catch (StackOverflowError e) {
            System.out.println("stack overflow");
        }
        System.out.println(IntStream.range(0, 100000).parallel().mapToLong(i -> i).sum());
        System.out.println(new ProcessBuilder(args[0], "3").inheritIO().start().waitFor());
        System.out.println(Runtime.getRuntime().exec(args[0]).waitFor());
        Runtime.getRuntime().addShutdownHook(new Thread(() -> System.out.println("hook")));
        if (args.length > 1) {
            Runtime.getRuntime().exec("kill -" + args[1] + " " + ProcessHandle.current().pid());
            Thread.sleep(60000);
        }
        System.exit(7);
    }

    static int down(int n) {
        return down(n + 1) + 1;
    }
}
EOF
    javac -proc:none -nowarn -d "$BATS_TEST_TMPDIR" "$BATS_TEST_TMPDIR/Guest.java"
}

@test "Java handles its faults and signals, starts children and ends as ever" {
    java_class
    unnoticed java -Xlog:disable -Xmx64m -cp "$BATS_TEST_TMPDIR" Guest "$PROGRAMS/exit_with"
    unnoticed java -Xlog:disable -Xmx64m -cp "$BATS_TEST_TMPDIR" Guest "$PROGRAMS/exit_with" TERM
    [[ $(recorded java) == $'java fini\njava fini' ]]
    [[ $(recorded exit_with) == "$(repeated 4 "exit_with fini")" ]]
}

@test "Java with its signal chaining preloaded, before us and behind us, ends as ever" {
    local jsig order
    java_class
    jsig=$(find /usr/lib/jvm/ -name libjsig.so | head -n 1)
    observe without "${TRACKED[@]:0:4}" LD_PRELOAD="$jsig" \
        java -Xlog:disable -Xmx64m -cp "$BATS_TEST_TMPDIR" Guest "$PROGRAMS/exit_with" TERM
    for order in "$jsig:$LIBRARY" "$LIBRARY:$jsig"; do
        observe with "${TRACKED[@]}" LD_PRELOAD="$order" \
            java -Xlog:disable -Xmx64m -cp "$BATS_TEST_TMPDIR" Guest "$PROGRAMS/exit_with" TERM
        diff -r "$BATS_TEST_TMPDIR/without" "$BATS_TEST_TMPDIR/with"
    done
    [[ $(recorded java) == $'java fini\njava fini' ]]
}

@test "node starts children, workers and a cluster, and ends as ever" {
    cat >"$BATS_TEST_TMPDIR/guest.js" <<'EOF'
const { execFileSync, spawnSync } = require('child_process');
const { Worker } = require('worker_threads');
const cluster = require('cluster');
const fs = require('fs');
if (!cluster.isPrimary)
    process.exit(4);
console.log(execFileSync('echo', ['from a child']).toString());
console.log(spawnSync(process.argv[2], ['3']).status);
process.on('exit', (code) => console.log('exit', code));
new Worker('require("worker_threads").parentPort.postMessage("from a worker")', { eval: true })
    .on('message', (text) => console.log(text))
    .on('exit', () => cluster.fork().on('exit', (code) => {
        console.log('cluster', code);
        console.log(fs.readdirSync('/proc/self/fd').length);
        process.exit(6);
    }));
EOF
    unnoticed "$NODE" "$BATS_TEST_TMPDIR/guest.js" "$PROGRAMS/exit_with"
    [[ $(recorded node) == $'node fini\nnode fini' ]]
    [[ $(recorded exit_with) == "exit_with fini" ]]
}

@test "Octave computes, calls a program and ends as ever" {
    unnoticed octave-cli --quiet --norc --eval \
        "disp (inv ([2 0; 0 4])); disp (system ('$PROGRAMS/exit_with 3')); exit (5)"
    [[ $(recorded octave-cli) == "octave-cli fini" ]]
    [[ $(recorded exit_with) == "exit_with fini" ]]
}

@test "Go and Rust programs that the loader starts run as ever" {
    unnoticed fzf --version
    unnoticed bash -c "printf 'one\ntwo\n' | fzf --filter=tw"
    unnoticed bash -c "echo '{\"a\": [1, 2]}' | gron"
    unnoticed rg --no-config --threads 4 root /etc/passwd
    # Go's runtime ends by exit_group(2)
    leaves "fzf epilog" "fzf epilog" "gron epilog" "rg fini"
}
