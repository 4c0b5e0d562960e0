function jobtrail_packages(event)
% SPDX-License-Identifier: LGPL-2.1-or-later
% Reports that the hook runs ('start'), or the toolboxes in use by license('inuse') ('finish'). MATLAB
% has no event for the first use of a toolbox, so a run that is killed reports none. Errors are ignored.
% See ../packages.h for what is written, ../../preload/ledger.h for what is read.
    persistent run
    try
        spool = getenv('JOBTRAIL_SPOOL');
        if isempty(spool)
            return
        end
        if isempty(run)
            run = find_run([spool '/ledger']);
        end
        if isempty(run)
            return
        end
        if strcmp(event, 'start')
            write_line([spool '/packages'], {'hook', run, 'MATLAB', version()});
            return
        end
        used = license('inuse');
        for i = 1:numel(used)
            write_line([spool '/packages'], {'pkg', run, 'MATLAB', '0', used(i).feature, version(), ''});
        end
    catch
    end
end

function text = read_text(name)
    fid = fopen(name, 'r');
    text = fread(fid, Inf, 'uint8=>char')';
    fclose(fid);
end

function run = find_run(ledger)
% The uuid of the run of this process; '' where its packages are not recorded. Where the kernel's pages are
% larger than the slot, the mapping has other slots too: then it is the one of this pid that was claimed last.
    run = '';
    last = 0;
    maps = regexp(read_text('/proc/self/maps'), '^(\w+)-(\w+) +\S+ +(\S+) [^\n]*/ledger$', 'tokens', 'lineanchors');
    for i = 1:numel(maps)
        at = max(hex2dec(maps{i}{3}), 9 * 4096);
        stop = hex2dec(maps{i}{3}) + hex2dec(maps{i}{2}) - hex2dec(maps{i}{1});
        fid = fopen(ledger, 'r');
        while at < stop
            fseek(fid, at, 'bof');
            head = fread(fid, 144, '*uint8')';
            begin = at;
            at = at + 4096;
            if numel(head) < 144 || ~strcmp(char(head(3:8)), 'JTSLT1')
                continue
            end
            number = @(where) double(typecast(head(where + (1:4)), 'uint32'));
            at = begin + max(number(16), 4096);
            is_alone = begin == hex2dec(maps{i}{3}) && at == stop;
            claimed = double(typecast(head(137:144), 'uint64'));
            if typecast(head(21:22), 'uint16') == 1 && claimed > last && ...
                    (is_alone || number(32) == feature('getpid'))
                last = claimed;
                run = '';
                if bitand(number(28), 2) ~= 0
                    run = sprintf('%02x', head(65:80));
                end
            end
        end
        fclose(fid);
    end
end

function write_line(packages, fields)
    line = sprintf('%s\t', fields{:});
    line(end) = sprintf('\n');
    info = dir(packages);
    limits = read_text('/proc/self/limits');
    if numel(line) > 4096 || info(1).bytes >= 16 * 1024^2 || ...
            isempty(strfind(limits, 'Max file size             unlimited'))
        return
    end
    fid = fopen(packages, 'a');
    fwrite(fid, line);
    fclose(fid);
end
