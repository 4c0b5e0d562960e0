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
% The uuid of the run of this process; '' where its packages are not recorded.
    run = '';
    offsets = regexp(read_text('/proc/self/maps'), '^\S+ +\S+ +(\S+) [^\n]*/ledger$', 'tokens', 'lineanchors');
    for i = 1:numel(offsets)
        fid = fopen(ledger, 'r');
        fseek(fid, sscanf(offsets{i}{1}, '%x'), 'bof');
        page = fread(fid, 120, '*uint8')';
        fclose(fid);
        if numel(page) >= 120 && strcmp(char(page(3:8)), 'JTSLT4') && ...
                typecast(page(21:22), 'uint16') == 1 && ...
                bitand(typecast(page(29:32), 'uint32'), uint32(2)) ~= 0
            run = sprintf('%02x', page(65:80));
            return
        end
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
