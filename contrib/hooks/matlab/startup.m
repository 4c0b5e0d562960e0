% SPDX-License-Identifier: LGPL-2.1-or-later
% MATLAB runs the first startup.m in its search path. This is the first one by MATLABPATH, which the
% SPANK plugin sets. It runs the next one.
jobtrail_packages('start');
for jobtrail_next = reshape(which('startup', '-all'), 1, [])
    if ~strcmp(fileparts(jobtrail_next{1}), fileparts(which('jobtrail_packages')))
        run(jobtrail_next{1});
        break
    end
end
clear jobtrail_next
