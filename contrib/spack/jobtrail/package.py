# SPDX-License-Identifier: LGPL-2.1-or-later
#
# A recipe for Spack: copy this folder to packages/ of a repository of your own. jobtrail runs as root on compute nodes, so
# install it where only root can write, and give its configuration a place outside of the prefix: the variant `sysconfdir`.
from spack.package import *


class Jobtrail(CMakePackage):
    """Records which software the jobs of a Slurm cluster run."""

    homepage = "https://jobtrail.invalid"
    # Name your site's own clone here: the project has no public one.
    git = "https://jobtrail.invalid/jobtrail.git"

    license("LGPL-2.1-or-later")

    version("main", branch="main")

    variant("sysconfdir", default="/etc", values=any, description="The configuration is jobtrail/jobtrail.conf below it")

    depends_on("c", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("ninja", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("scdoc", type="build")
    depends_on("python@3.6:", type=("build", "run"))
    depends_on("curl")
    depends_on("elfutils")
    depends_on("inih")
    depends_on("json-c")
    depends_on("libseccomp")
    depends_on("librdkafka")
    depends_on("mariadb-c-client")
    depends_on("nettle")
    depends_on("openssl")
    depends_on("slurm@22-05:")
    depends_on("sqlite")
    depends_on("util-linux-uuid")
    depends_on("zlib-api")

    generator("ninja")

    def cmake_args(self):
        return [
            self.define("JOBTRAIL_TESTS", False),
            self.define_from_variant("CMAKE_INSTALL_SYSCONFDIR", "sysconfdir"),
            self.define("CMAKE_INSTALL_LIBDIR", "lib"),
            self.define("SLURM_INCLUDE_DIR", self.spec["slurm"].prefix.include),
        ]
