# SPDX-License-Identifier: LGPL-2.1-or-later
# Finds the packages that a Perl run loads; packages.pl reports them.
#
# Perl runs this before it compiles a program, by PERL5OPT, which the SPANK plugin sets
# (hook_variables.c). Packages of `use` are reported after the program is compiled, before it runs.
# Those of a later `require` are reported at the end: an event for them would have to change `require`
# or @INC or, as ${^HOOK} of Perl 5.38, would swallow what a signal's handler dies of.
#
# Perl parses this file in each process of a job. Code that only processes with packages need is in
# packages.pl. No module is loaded and no code of the user is called. All of Perl's variables are
# restored, and so is stat()'s `_`. See ../packages.h for what is written, ../../preload/ledger.h for
# what is read.
my ($run, $packages, $report, %seen, %core);

# All of a file of /proc, or `size` bytes of another at `offset`.
my $read = sub {
    my ($path, $offset, $size) = @_;
    my $text = '';
    open my $file, '<:unix', $path or return $text;
    sysseek $file, $offset, 0 if $size;
    1 while sysread($file, $text, $size || 16384, length $text) && !$size;
    return $text;
};

# The uuid of the run of this process, or of the process that has forked it; '' where its packages are
# not recorded. Where the kernel's pages are larger, a mapping has other slots too: then it is the one that
# was claimed last. Addresses are cut to 32 bits: hex() would warn of more.
my $find_run = sub {
    my ($ledger) = @_;
    my $maps = $read->('/proc/self/maps');
    my ($last, $found, $page, $first) = ('', '', 4096, 9 * 4096);
    for (my $end = 0; ($end = index $maps, "/ledger\n", $end) >= 0; $end++) {
        my ($where, undef, $at) = split ' ', substr $maps, rindex($maps, "\n", $end) + 1, 80;
        my $size = hex(substr $where, -8) - hex(substr $where, index($where, '-') - 8, 8);
        my $stop = ($at = hex $at) + ($size < 0 ? $size + 4294967296 : $size);
        $at = $first if $at < $first;
        while ($at < $stop) {
            my $head = $read->($ledger, $at, 144);
            $at += $page;
            next if length $head < 144 || substr($head, 2, 6) ne 'JTSLT1';
            my ($bytes, $state, $flags, $pid, $uuid) = unpack 'x16 L S x6 L l x28 H32', $head;
            $at += $bytes - $page if $bytes > $page;
            next if $state != 1 || $pid != $$ && $pid != getppid;
            my $claimed = ($pid == $$) . reverse substr $head, 136, 8; # a number, its last byte first
            ($last, $found) = ($claimed, $flags & 2 ? $uuid : '') if $claimed gt $last;
        }
    }
    return $found;
};

# Perl does not ignore SIGXFSZ, which a write beyond a limit raises.
my $write = sub {
    my $line = join("\t", @_) . "\n";
    return if index($read->('/proc/self/limits'), 'Max file size             unlimited') < 0;
    sysopen my $file, $packages, 02001 or return;    # O_WRONLY | O_APPEND
    binmode $file;
    my $size = sysseek $file, 0, 2;
    return $size && $size < 16 << 20 && syswrite($file, $line) == length $line;
};

# Whether a module has come with Perl: then its directory has these files.
my $is_core = sub {
    my ($file) = @_;
    my $directory = substr $INC{$file}, 0, -length $file;
    $core{$directory} ||= 1 + grep open(my $found, '<', $directory . $_), 'strict.pm', 'Config.pm';
    return $core{$directory} > 1;
};

# Reports what is new in %INC. Returns what a signal's handler has died of in the meantime, or undef.
my $look = sub {
    local ($., $@, $!, $?);
    my @new = grep substr($_, -3) eq '.pm' && defined $INC{$_} && !ref $INC{$_} && !$seen{$_}++,
        keys %INC;
    @new = grep !$is_core->($_), @new if ($ENV{JOBTRAIL_STANDARD_LIBRARY} || '') ne 'yes';
    return if !@new;
    $report ||= do(substr(__FILE__, 0, rindex __FILE__, '/') . '/packages.pl') || return;
    return $report->($write, $run, @new);
};

my $look_and_raise = sub {
    my $error = $run ? $look->() : undef;
    die $error if defined $error;
};

CHECK { $look_and_raise->() }
END { $look_and_raise->() }

delete $INC{+__FILE__};
if (my $spool = $ENV{JOBTRAIL_SPOOL}) {
    local $.;
    my $found = $find_run->("$spool/ledger");
    $packages = "$spool/packages";
    $run = $found if $found && $write->('hook', $found, 'perl', substr $^V, 1);
}
