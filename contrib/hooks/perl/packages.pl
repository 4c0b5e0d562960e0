# SPDX-License-Identifier: LGPL-2.1-or-later
# Reports packages of a Perl run that jobtrail.pl has found. Its rules hold here too.
my ($lost, %reported) = (0);

delete $INC{+__FILE__};

# The symbols of a package, or undef.
my $symbols_of = sub {
    my $symbols = \%main::;
    for my $part (split /::/, $_[0]) {
        return if !exists $symbols->{"${part}::"} || ref \$symbols->{"${part}::"} ne 'GLOB';
        $symbols = *{$symbols->{"${part}::"}}{HASH} or return;
    }
    return $symbols;
};

# $VERSION of a package, without the v of v1.2.3; ''.
my $version_of = sub {
    my $symbols = $symbols_of->($_[0]);
    return '' if !$symbols || !exists $symbols->{VERSION} || ref \$symbols->{VERSION} ne 'GLOB';
    my $version = *{$symbols->{VERSION}}{SCALAR};
    return '' if !$version || tied $$version || !defined $$version;
    return sprintf '%vd', $$version if ref $version eq 'VSTRING';
    my $text = ref $$version eq 'version' ? $$version->{original} : ref $$version ? '' : $$version;
    return defined $text && $text =~ /\Av?(.*)/s ? $1 : '';
};

# Whether it is a part of a package that was reported, and has no other version than that.
my $is_part = sub {
    my ($name, $version) = @_;
    while ((my $end = rindex $name, '::') > 0) {
        $name = substr $name, 0, $end;
        return $version eq '' || $version eq $reported{$name} if exists $reported{$name};
    }
    return 0;
};

my $report = sub {
    my ($write, $run, $file) = @_;
    my $name = join '::', split m{/}, substr $file, 0, -3;
    my $version = substr $version_of->($name), 0, 128;
    return if $name eq '' || $is_part->($name, $version) || keys %reported >= 8192;
    $reported{$name} = $version;
    my $path = $INC{$file};
    $path = readlink('/proc/self/cwd') . "/$path" if index $path, '/';
    my @fields = map { utf8::encode($_) if utf8::is_utf8($_); $_ } $name, $version, $path;
    my $sound = join('', @fields) !~ /[\0-\x1f\x7f]/ && length "@fields" < 4000;
    $lost++ if !$sound || !$write->('pkg', $run, 'perl', $lost, @fields);
};

# Returns what a signal's handler has died of in the meantime, or undef.
sub {
    my ($write, $run, @files) = @_;
    local $SIG{__DIE__};
    local $SIG{__WARN__} = sub { };
    for my $file (sort @files) {
        next if eval { $report->($write, $run, $file); 1 };
        return $@ if ref $@ || index($@, __FILE__) < 0;
        $lost++;
    }
    return;
};
