#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# What Perl programs load, and that they do not notice being asked.
# shellcheck disable=SC2016 # for Perl to expand

load ../fixture/job
load ../fixture/packages

setup() {
    new_job
    LIB=$BATS_TEST_TMPDIR/lib
    PERL=(/usr/bin/perl -I "$LIB")
    make_perl_module Alpha 'our $VERSION = "1.50"'
    make_perl_module Alpha::Part 'our $VERSION = "1.50"'
    make_perl_module Alpha::Silent
    make_perl_module Alpha::Other 'our $VERSION = 2.25'
    make_perl_module Beta 'use Alpha; use POSIX ()'
    make_perl_module Space::One
    make_perl_module Late 'our $VERSION = 3'
}

# make_perl_module NAME [TEXT]
make_perl_module() {
    local file=$LIB/${1//:://}.pm
    mkdir -p "${file%/*}"
    printf 'package %s;\n%s;\n1;\n' "$1" "${2-}" >"$file"
}

@test "each package is told once, with version, path and run, and nothing that comes with Perl" {
    hooked "${PERL[@]}" -e 'use strict; use Beta; use Alpha::Part; use Alpha::Silent; use Alpha::Other; use Space::One;
        use Dpkg; use POSIX; use Data::Dumper; require Alpha; require Late'
    flush
    [[ $(package_names) == "Alpha Alpha::Other Beta Dpkg Late Space::One" ]]
    [[ $(package Alpha package_version) == 1.50 ]]
    [[ $(package Alpha::Other package_version) == 2.25 ]]
    [[ $(package Beta package_version) == "" ]]
    [[ $(package Dpkg package_version) == "$(perl -MDpkg -e 'print $Dpkg::VERSION')" ]]
    [[ $(package Space::One package_path) == "$LIB/Space/One.pm" ]]
    [[ $(package Alpha program) == perl ]]
    [[ $(package Alpha xalt_run_uuid) == "$(one .userT.run_uuid)" ]]
    [[ $(one '.XALT_qaT | "\(.JOBTRAIL_PKGS) \(.JOBTRAIL_PKGS_HOOK) \(.JOBTRAIL_PKGS_LOST)"') == "yes yes 0" ]]
    "$JOBTRAIL_SOURCE/test/collectors/check_records" "$RECORDS"/*
}

@test "versions of all kinds are told, and nothing of the user's is called for them" {
    make_perl_module Vstring 'our $VERSION = v1.2.3'
    make_perl_module Object 'use version; our $VERSION = version->declare("v4.5.6")'
    make_perl_module Tied 'sub TIESCALAR { bless [] } sub FETCH { print "fetched\n"; 7 } tie our $VERSION, "Tied"'
    make_perl_module Overloaded 'use overload q("") => sub { print "called\n"; 8 }; our $VERSION = bless {}; sub VERSION { print "asked\n" }'
    make_perl_module Constant 'use constant VERSION => 9'
    make_perl_module Wide 'our $VERSION = "\x{263a}"'
    unnoticed_hook "${PERL[@]}" -we 'use Vstring; use Object; use Tied; use Overloaded; use Constant; use Wide; print exists $Late::{VERSION}, "ok\n"'
    flush
    [[ $(packages | jq -c 'map([.package_name, .package_version]) | sort') == \
        '[["Constant",""],["Object","4.5.6"],["Overloaded",""],["Tied",""],["Vstring","1.2.3"],["Wide","☺"]]' ]]
}

@test "the policy's package rules decide, by name and by path" {
    RULES+=$'\nskip = perl:name:Beta\nskip = perl:path:.*/Late\\.pm'
    new_job
    hooked "${PERL[@]}" -e 'use Beta; use Late'
    flush
    [[ $(package_names) == Alpha ]]
}

@test "what comes with Perl is told where the site asks for it" {
    hooked JOBTRAIL_STANDARD_LIBRARY=yes "${PERL[@]}" -e 'use strict; use Alpha; use POSIX'
    flush
    for name in Alpha POSIX strict; do
        [[ " $(package_names) " == *" $name "* ]]
    done
    [[ $(package strict package_version) == "$(perl -Mstrict -e 'print $strict::VERSION')" ]]
}

@test "what a program uses is known when it is killed, and what it required when it ends by itself" {
    hooked "${PERL[@]}" -e 'use Alpha; kill 9, $$' || [[ $? == 137 ]]
    hooked "${PERL[@]}" -e 'use Beta; require POSIX; POSIX::_exit(3)' || [[ $? == 3 ]]
    hooked "${PERL[@]}" -e 'use Space::One; exec "true"'
    hooked "${PERL[@]}" -e 'require Late; exit 4' || [[ $? == 4 ]]
    hooked "${PERL[@]}" -e 'require Alpha::Other; die "x\n"' 2>/dev/null || [[ $? == 255 ]]
    hooked "${PERL[@]}" -c -e 'use Alpha::Silent' 2>/dev/null
    flush
    [[ $(package_names) == "Alpha Alpha Alpha::Other Alpha::Silent Beta Late Space::One" ]]
}

@test "Perl's own variables, its search path and its modules are as ever" {
    cat >"$BATS_TEST_TMPDIR/look.pl" <<'PL'
BEGIN { print join("|", map { defined $_ ? $_ : "-" } $!+0, $@, $?, $., $0, $^W, $^H, $,, $\, $/, "@ARGV", $1), "\n" }
use strict; use warnings;
use Alpha;
BEGIN { stat "/etc/passwd"; open my $in, "<", "/etc/passwd"; <$in>; <$in>; $! = 5; $@ = "at"; "xyz" =~ /(y)/ or die; *main::IN = $in }
INIT { print "INIT $. ", $!+0, " $@ ", -s _, "\n" }
print "$. ", $!+0, " $@ ", -s _, "\n";
print join("\n", @INC, map("$_ $INC{$_}", sort keys %INC), sort grep defined $SIG{$_}, keys %SIG), "\n";
print join(" ", sort grep !/^(_<|BEGIN|INIT|CHECK|END|!|\W)/, keys %main::), "\n";
opendir my $fds, "/proc/self/fd"; print scalar(() = readdir $fds), "\n";
print join(",", (caller 0)[0..3]), __LINE__, <DATA>;
$SIG{__DIE__} = sub { print "dying: @_" }; $SIG{__WARN__} = sub { print "warned: @_" };
eval { require None::Such }; print $@ =~ /(.*?) \(/, "\n";
require Late;
END { print "END $? ", $!+0, " $@\n"; $! = 6; $? = 9 }
warn "it"; $! = 7; die "dead\n";
__DATA__
data
PL
    for options in "" -w -W "-CSDA" "-Mv5.36" "-Mbigint" "-Mstrict -Mwarnings=FATAL,all" "-Mopen=:std,:utf8" "-Mdiagnostics" -c -X; do
        # shellcheck disable=SC2086
        unnoticed_hook PERL_HASH_SEED=0 "${PERL[@]}" $options "$BATS_TEST_TMPDIR/look.pl" an argument
    done
    grep -q Late "$SPOOL/$JOB.0/user/packages"
}

@test "one-liners, loops, scripts on stdin and in mails, errors, the debugger: all as ever" {
    printf 'a b\nc d\n' >"$BATS_TEST_TMPDIR/text"
    printf 'From: x\n\n#!/usr/bin/perl -l\nuse Alpha; print __LINE__, " $0";\n__END__\nmore\n' >"$BATS_TEST_TMPDIR/mail"
    unnoticed_hook "${PERL[@]}" -ne 'print if /c/; END { print $. }' "$BATS_TEST_TMPDIR/text"
    unnoticed_hook "${PERL[@]}" -MAlpha -lanE 'say $F[1]' "$BATS_TEST_TMPDIR/text"
    unnoticed_hook "${PERL[@]}" -i -pe 's/a/b/; $_ .= "x\n" if eof' "$BATS_TEST_TMPDIR/text"
    grep -q x "$BATS_TEST_TMPDIR/text"
    unnoticed_hook "${PERL[@]}" -x "$BATS_TEST_TMPDIR/mail"
    unnoticed_hook bash -c 'echo "use Alpha; print qq(in\n); exit 3" | "$@"' bash "${PERL[@]}"
    unnoticed_hook "${PERL[@]}" -s -e 'use Alpha; print $foo' -- -foo=bar
    unnoticed_hook PERL_RL=0 TERM=dumb bash -c 'printf "p 1+1\nn\nT\nn\nq\n" | "$@"' bash "${PERL[@]}" -d -e 'use Alpha; my $x = 1; print $x; print 2'
    for program in '}' 'foo bar baz qux(' 'use strict; $x = 1' 'use None::Such' 'BEGIN { die "early" }' 'BEGIN { exit 5 }' \
        'kill 15, $$; sleep 9' 'use v5.10; say 1; eval q(die); print $@' 'warn; print 1 + undef' '%' 'CHECK { die "late" }'; do
        unnoticed_hook "${PERL[@]}" -we "$program"
        unnoticed_hook "${PERL[@]}" -MAlpha -Mv5.36 -e "$program"
    done
}

@test "where Perl does not look for the hook, that is counted" {
    for option in -T -t; do
        hooked "${PERL[@]}" "$option" -e 'use Alpha'
    done
    hooked "${PERL[@]}" -d:None -e 1 2>/dev/null || true
    hooked PERL5OPT= "${PERL[@]}" -e 'use Alpha'
    hooked PERLDB_OPTS=NonStop=1 "${PERL[@]}" -d -e 'use Alpha' >/dev/null 2>&1
    run --separate-stderr flush
    [[ $output == *"unhooked 5"* ]]
    [[ $(package_names) == "" ]]
}

@test "forked children are part of the run, and threads change nothing" {
    cat >"$BATS_TEST_TMPDIR/fork.pl" <<'PL'
use Alpha; use threads;
print threads->create(sub { require Space::One; "thread" })->join, "\n";
for my $name ("Late", "Beta") {
    my $pid = fork // die;
    if (!$pid) { eval "require $name; 1" or die $@; exit 6 }
    waitpid $pid, 0;
    print $? >> 8, "\n";
}
PL
    unnoticed_hook "${PERL[@]}" "$BATS_TEST_TMPDIR/fork.pl"
    flush
    [[ $(package_names) == "Alpha Beta Late" ]]
    [[ $(packages | jq 'map(.xalt_run_uuid) | unique | length') == 1 ]]
}

@test "a limit on files, no spool, no ledger, no hook: the program does not notice" {
    program='use Alpha; require Late; print $!+0, " $@", join ",", sort keys %INC'
    unnoticed_hook bash -c 'ulimit -f 0; "$@" | cat; exit ${PIPESTATUS[0]}' bash "${PERL[@]}" -we "$program"
    unnoticed_hook bash -c 'ulimit -n 3; exec "$@"' bash "${PERL[@]}" -e 'print 1'
    for bad in JOBTRAIL_SPOOL=/nowhere JOBTRAIL_SPOOL= LD_PRELOAD=; do
        unnoticed_hook "$bad" "${PERL[@]}" -we "$program"
    done
    [[ ! -s $SPOOL/$JOB.0/user/packages ]]
    for program in "$program" '$! = 3; die'; do
        observe without "${PERL[@]}" -we "$program"
        observe with "${HOOKED[@]/jobtrail.pl/none.pl}" "${PERL[@]}" -we "$program"
        diff -r "$BATS_TEST_TMPDIR/without" "$BATS_TEST_TMPDIR/with"
    done
}

@test "the file of packages is not made larger than its bound" {
    truncate --size=$((16 << 20)) "$SPOOL/$JOB.0/user/packages"
    hooked "${PERL[@]}" -e 'use Alpha'
    [[ $(stat -c %s "$SPOOL/$JOB.0/user/packages") == $((16 << 20)) ]]
}

@test "packages that could not be written down are counted, and strange entries of %INC do no harm" {
    hooked "${PERL[@]}" -we 'use Late; BEGIN { $INC{"A\tb.pm"} = "/x\ty"; $INC{"Code.pm"} = sub { die "called" };
        $INC{"Gone.pm"} = undef; $INC{"Short.pm"} = "x"; $INC{"Long.pm"} = "/" . "x" x 5000; $INC{"..pm"} = ""; $INC{".pm"} = "/"; $INC{"::::.pm"} = "/q/q/q" }
        print "ok\n"' >"$BATS_TEST_TMPDIR/out" 2>&1
    [[ $(<"$BATS_TEST_TMPDIR/out") == ok ]]
    flush
    [[ " $(package_names) " == *" Late Short "* ]]
    [[ $(one .XALT_qaT.JOBTRAIL_PKGS_LOST) == 2 ]]
}

@test "a signal's handler that dies while packages are told is not swallowed" {
    for i in {1..400}; do make_perl_module "M$i"; done
    cat >"$BATS_TEST_TMPDIR/alarm.pl" <<'PL'
use Time::HiRes "ualarm";
BEGIN { eval "use M$_; 1" or die for 1 .. 400; $SIG{ALRM} = sub { die "late\n" if (caller)[1] =~ m{/hooks/perl/} || die "early\n" } }
CHECK { ualarm $ENV{DELAY} }
print "unharmed\n";
PL
    # Where a busy machine lets the process wait, the signal comes early or when all has been told.
    for delay in {1..10}000; do
        run tracked DELAY="$delay" "${HOOKED[@]}" "${PERL[@]}" "$BATS_TEST_TMPDIR/alarm.pl"
        [[ $output != late* ]] || break
    done
    [[ $output == late* && $status == 255 ]]
}
