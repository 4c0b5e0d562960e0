#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# Recipes for package managers that are not on this machine: they are of this version, they can be read, and
# they name what the build needs.

VERSION=$(sed -n 's/^project(jobtrail VERSION \([0-9.]*\) .*/\1/p' "$JOBTRAIL_SOURCE/CMakeLists.txt")

# needed: what CMake looks for by pkg-config in all rooms
needed() {
    grep -rhoE --include=CMakeLists.txt 'pkg_check_modules\([^)]*' "$JOBTRAIL_SOURCE"/{conf,contrib,ldwrap,preload,spank,submit} |
        tr ' ' '\n' | grep -vE '^(pkg_check_modules.*|REQUIRED|IMPORTED_TARGET)$' | sort -u
}

@test "the spec, Spack's package and EasyBuild's recipe are of this version" {
    grep -qx "Version: $VERSION" "$JOBTRAIL_SOURCE/contrib/rpm/jobtrail.spec"
    [[ -e $JOBTRAIL_SOURCE/contrib/easybuild/jobtrail-$VERSION.eb ]]
}

@test "no recipe names a place on the Internet that is not ours" {
    run grep -rnE 'https?://' "$JOBTRAIL_SOURCE"/contrib/{rpm,spack,easybuild}
    echo "$output"
    [[ $output != "" && $(grep -v '://jobtrail\.invalid' <<<"$output") == "" ]]
}

@test "EasyBuild's recipe is Python that sets what EasyBuild asks for" {
    run python3 - "$JOBTRAIL_SOURCE/contrib/easybuild/jobtrail-$VERSION.eb" <<'PYTHON'
import sys
values = {"SYSTEM": "system", "SOURCE_TAR_GZ": "jobtrail-0.1.0.tar.gz"}
exec(compile(open(sys.argv[1]).read(), sys.argv[1], "exec"), values)
wanted = "easyblock name version homepage description toolchain sources sanity_check_paths moduleclass".split()
assert not [one for one in wanted if not values.get(one)]
assert values["version"] in sys.argv[1]
PYTHON
    [[ $status == 0 ]]
}

@test "Spack's package is Python that defines one class" {
    run python3 - "$JOBTRAIL_SOURCE/contrib/spack/jobtrail/package.py" <<'PYTHON'
import ast, sys
tree = ast.parse(open(sys.argv[1]).read())
classes = [node for node in tree.body if isinstance(node, ast.ClassDef)]
assert [one.name for one in classes] == ["Jobtrail"] and classes[0].bases[0].id == "CMakePackage"
# What Spack runs: the class's body, with its words replaced.
words = []
word = lambda name: lambda *arguments, **more: words.append((name, arguments))
names = "license version variant depends_on generator".split()
values = {name: word(name) for name in names}
values["CMakePackage"] = object
exec(compile(ast.Module(classes, []), "package.py", "exec"), values)
assert len([one for one in words if one[0] == "depends_on"]) > 15
PYTHON
    [[ $status == 0 ]]
}

@test "the spec names each library that the build looks for" {
    [[ $(needed | wc -l) -ge 10 ]]
    for module in $(needed); do
        grep -qE "^BuildRequires: (pkgconfig\($module\)|$module-devel)$" "$JOBTRAIL_SOURCE/contrib/rpm/jobtrail.spec" || {
            echo "not named: $module"
            false
        }
    done
}
