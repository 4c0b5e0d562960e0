#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# The same of programs that call hundreds of routines
# bats file_tags=needs:profile,needs:routines,soak
# shellcheck disable=SC2016 # programs of R have $

bats_require_minimum_version 1.5.0

load ../fixture/job
load ../fixture/profile
load compared

SCIPY='import numpy as n, scipy.linalg as l, scipy.optimize as o, scipy.sparse as s, scipy.sparse.linalg as p
b = n.eye(9) * 3 + 1
print(l.lu_factor(b)[1], l.solve(b, b)[0, 0].round(9), l.svd(b)[1][0] > 1, l.eigh(b)[0][0] > 1, l.schur(b)[0].shape, l.qr(b)[0].shape)
print(o.minimize(lambda x: (x * x).sum(), n.ones(3), method="BFGS").success, o.least_squares(lambda x: x - 1, n.zeros(2)).success,
    o.linprog([1, 1], A_ub=[[-1, -2]], b_ub=[-1]).success, o.minimize(lambda x: (x * x).sum(), n.ones(3), method="SLSQP").success)
c = s.csc_matrix(b)
print(p.spsolve(c, n.ones(9)).shape, p.eigsh(c, k=2, v0=n.arange(9.))[0].shape, p.splu(c).L.shape, p.svds(c, k=2, v0=n.arange(9.))[1].shape, p.expm(c).shape)'
R='a <- diag(3, 9) + 1; b <- a %*% a; print(sum(solve(b))); print(dim(svd(a)$u)); print(eigen(a)$values[1]); print(dim(qr.Q(qr(a))));
    print(chol(a)[1]); print(coef(lm(dist ~ speed, cars))); print(crossprod(a)[1])'
OCTAVE='a = eye(9) * 3 + 1; b = a * a; disp(sum(sum(inv(b)))); disp(size(svd(a))); disp(max(eig(a))); disp(size(qr(a))); disp(det(a));
    disp(size(a \ b)); disp(chol(a)(1)); disp(size(schur(a))); disp(rank(a)); disp(norm(a)); disp(size(sparse(a) \ b))'

in_r() { # COMMAND
    echo "$R" >program.R
    "$1" R_HOME=/usr/lib/R /usr/lib/R/bin/exec/R --vanilla --no-echo --file=program.R
}

@test "scipy" {
    on_reference /usr/bin/python3 -c "$SCIPY"
}

@test "scipy on OpenBLAS" {
    on_openblas /usr/bin/python3 -c "$SCIPY"
}

@test "R" {
    in_r on_reference
}

@test "R on OpenBLAS" {
    in_r on_openblas
}

@test "Octave" {
    on_reference /usr/bin/octave-cli --norc --eval "$OCTAVE"
}

@test "Octave on OpenBLAS" {
    on_openblas /usr/bin/octave-cli --norc --eval "$OCTAVE"
}
