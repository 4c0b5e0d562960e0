# The configuration that a site might have built XALT with; made up for our tests, in the form that
# XALT's documentation gives it.
import sys

# Compute nodes are c<rack>-<node> and nid<number>; one of them is a test bed.
hostname_patterns = [
    ['SKIP', r'^c999-[0-9]{3}\..*'],
    ['KEEP', '^c[0-9][0-9][0-9]-[0-9][0-9][0-9]\..*'],
    ['KEEP', r'^nid[0-9]{5}'],
    ['KEEP', r'gpu-[ab](0[1-9]|1[0-2])'],
]

# Languages first, then what is kept of the system, then what is not.
path_patterns = [
    ['CUSTOM', r'.*\/python[0-9][^/;]*'],
    ['PKGS',   r'.*\/python'],
    ['PKGS',   r'.*\/R'],
    ['PKGS',   r'.*\/MATLAB'],
    ['CUSTOM', r'.*\/workflow(-ng)?'],
    ['KEEP',   r'^\/usr\/bin\/cp'],
    ['KEEP',   r'^\/usr\/bin\/mv'],
    ['KEEP',   r'^\/usr\/bin\/(gawk|sed|perl|grep)'],
    ['KEEP',   r'^\/usr\/bin\/[bg]?zip2?'],
    ['KEEP',   r'^\/usr\/bin\/tar'],
    ['KEEP',   r'^\/usr\/local\/site\/.*'],
    ['SKIP',   r'^\/usr\/.*'],
    ['SKIP',   r'^\/s?bin\/.*'],
    ['SKIP',   r'^\/etc\/.*'],
    ['SKIP',   r'^\/root\/.*'],
    ['SKIP',   r'^\/opt\/intel\/.*'],
    ['SKIP',   r'^\/opt\/apps\/(cuda|lua|lmod|xalt|git|cmake|autotools)\/.*'],
    ['SKIP',   r'^\/opt\/apps\/intel[0-9][0-9_]*\/(mvapich2|impi|openmpi)\/.*'],
    ['SKIP',   r'^\/opt\/apps\/gcc[0-9][0-9_]*\/mvapich2\/.*'],
    ['SKIP',   r'^\/opt\/apps\/gcc\/.*'],
    ['SKIP',   r'.*\/l\/pkg\/lmod\/'],
    ['SKIP',   r'.*\/g\+\+'],
    ['SKIP',   r'.*\/(gcc|cc1(plus)?|collect2|as|ld|lto1|lto-wrapper|f951|gfortran|icc|icpc|ifort)'],
    ['SKIP',   r'.*\/mpi(CC|cc|cxx|f77|f90|fort|fc|gcc|gxx|icc|icpc|ifort)'],
    ['SKIP',   r'.*\/mpiexec.hydra'],
    ['SKIP',   r'.*\/(mpirun|mpiexec|hydra_pmi_proxy|ompi_info|opal_wrapper|orterun|orted|prterun|prted|prun|vtwrapper|mpispawn|mpirun_rsh|ibrun|aprun|jsrun|lrun|poe|charmrun|upcrun|tau_exec|scalasca|scorep-wrapper|amplxe-cl|advixe-cl|inspxe-cl|ddt|totalview|nsys|ncu|nvprof|rocprof|perf)'],
    ['SKIP',   r'.*\/conftest'],
    ['SKIP',   r'.*\/CMakeTmp\/cmTryCompileExec[0-9][0-9]*'],
    ['SKIP',   r'.*\/CMakeTmp\/cmTC_[a-f0-9]+'],
    ['SKIP',   r'.*\/\.cargo\/bin\/.*'],
    ['SKIP',   r'.*\/build-[0-9]{4}-[0-9]{2}\/.*'],
]

path_arg_patterns = [
    ['JUMP_1',   r'.*\/python[0-9][^/;]*;-[WX]'],
    ['SKIP',     r'.*\/python[0-9][^/;]*;-c'],
    ['CONTINUE', r'.*\/python[0-9][^/;]*;-.*'],
    ['SKIP',     r'.*\/python[0-9][^/;]*;\/usr\/.*'],
    ['SKIP',     r'.*\/python[0-9][^/;]*;.*\/share\/.*'],
    ['KEEP',     r'.*\/python[0-9][^/;]*;.*\/data\/.*'],
    ['PKGS',     r'.*\/python[0-9][^/;]*;.*\.py'],
    ['PKGS',     r'.*\/python[0-9][^/;]*;'],
    ['JUMP_2',   r'.*\/workflow(-ng)?;--pair'],
    ['JUMP_3',   r'.*\/workflow-ng;--triple'],
    ['JUMP_4',   r'.*\/workflow-ng;--four'],
    ['CONTINUE', r'.*\/workflow(-ng)?;--opt=.*'],
    ['SKIP',     r'.*\/workflow(-ng)?;--(help|version)'],
    ['KEEP',     r'.*\/workflow;'],
]

MPI_ALWAYS_RECORD = 64

interval_array = [
    [ 0.0,                0.0001 ],
    [ 30 * 60.0,          0.01   ],
    [ 7200.0,             1.0    ],
    [ sys.float_info.max, 1.0    ],
]

mpi_interval_array = [
    [    0.0,              0.0005 ],
    [  900.0,              0.05   ],
    [ 1800.0,              1.0    ],
    [ sys.float_info.max,  1.0    ],
]

common_env = [
    ['SKIP', r'^__.*'],
    ['SKIP', r'^MKL_(DIR|INCLUDE|LIB)=.*'],
    ['SKIP', r'^OMP_NUM_THREADS=.*'],
    ['SKIP', r'.*_(TOKEN|PASSWORD)=.*'],
]
env_patterns = common_env + [
    ['KEEP', r'^LD_LIBRARY_PATH=.*'],
    ['KEEP', r'^LOADEDMODULES=.*|_LMFILES_=.*'],
    ['KEEP', r'^MKL.*'],
    ['KEEP', r'^OMP.*'],
    ['KEEP', r'^PATH=.*'],
    ['KEEP', r'^PYTHON.*'],
    ['KEEP', r'^R_.+'],
]
env_patterns += [['KEEP', r'^TACC_AFFINITY_ENABLED=.*']]
env_patterns.append(['KEEP', r'^I_MPI_(PIN|THREAD)_[A-Z]+=.*'])

pkg_patterns = [
    ['SKIP', r'^R:name:(stats|base|methods)'],
    ['SKIP', r'^MATLAB:path:\/opt\/matlab\/.*'],
]

python_pkg_patterns = [
    { 'k_s' : 'SKIP', 'kind' : 'path', 'patt' : r"^[^/]"       },
    { 'k_s' : 'SKIP', 'kind' : 'name', 'patt' : r"^_"          },
    { 'k_s' : 'SKIP', 'kind' : 'name', 'patt' : r".*\."        },
    { 'k_s' : 'KEEP', 'kind' : 'path', 'patt' : r".*/.local/"  },
    { 'k_s' : 'SKIP', 'kind' : 'path', 'patt' : r"^/home"      },
    { 'k_s' : 'SKIP', 'kind' : 'name', 'patt' : r"(test|tests)$" },
]
