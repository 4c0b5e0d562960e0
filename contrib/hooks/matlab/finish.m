% SPDX-License-Identifier: LGPL-2.1-or-later
% MATLAB runs the first finish.m in its search path when it ends; see startup.m.
jobtrail_packages('finish');
for jobtrail_next = reshape(which('finish', '-all'), 1, [])
    if ~strcmp(fileparts(jobtrail_next{1}), fileparts(which('jobtrail_packages')))
        run(jobtrail_next{1});
        break
    end
end
clear jobtrail_next
