# SPDX-License-Identifier: LGPL-2.1-or-later
"""The tables of an XALT config.py, read from its syntax tree.

The file is a program of somebody else's and is never run. What it assigns, appends or adds to the
names in TABLES is read where it consists of literals, of names that were given literals before and
of sys.float_info.max; whatever else touches one of these names is a Problem.
"""
import ast
import sys
import typing
import warnings

TABLES = (
    "hostname_patterns", "path_patterns", "path_arg_patterns", "env_patterns",
    "python_pkg_patterns", "pkg_patterns", "pre_ingest_patterns",
    "interval_array", "mpi_interval_array", "MPI_ALWAYS_RECORD", "SPSR_sampling",
)


class Problem(typing.NamedTuple):
    """What was left out: the line, from 1, or 0 for the whole file, and the reason."""

    line: int
    reason: str


class Entry:
    """An element of a table and its line."""

    def __init__(self, value, line):
        self.value = value
        self.line = line


class Unreadable(Exception):
    """A part of the tree that is no literal."""

    def __init__(self, node, reason="not a literal"):
        super().__init__(reason)
        self.line = node.lineno


class Source:
    """The names that the file gives a value: .lists of Entry, .values, and .problems."""

    def __init__(self, text):
        """Raises SyntaxError when `text` is no Python 3, ValueError when it holds a NUL."""
        self.lists = {}
        self.values = {}
        self.problems = []
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # '\.' in a string without r is common
            tree = ast.parse(text)
        for statement in tree.body:
            self._read(statement)
        self._name_unused(tree)

    def _name_unused(self, tree):
        """Names that get a value at the top, which is no table's and which nothing reads."""
        names = {}
        for statement in tree.body:
            if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                continue
            for node in ast.walk(statement):
                if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                    names.setdefault(node.id, node.lineno)
        read = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}
        for name, line in names.items():
            if name not in TABLES and name not in read:
                self.problems.append(Problem(line, f"{name}: XALT 3.2.4 does not have this table; "
                                             "see jobtrail.conf(5) for what it was to do"))

    def _read(self, statement):
        if isinstance(statement, ast.Assign) and len(statement.targets) == 1 \
                and isinstance(statement.targets[0], ast.Name):
            self._assign(statement.targets[0].id, statement.value)
        elif isinstance(statement, ast.AugAssign) and isinstance(statement.op, ast.Add) \
                and isinstance(statement.target, ast.Name):
            self._extend(statement.target.id, statement.value)
        elif not self._read_call(statement) and self._matters(statement):
            self.problems.append(Problem(statement.lineno, "only literals in plain assignments, "
                                         "+=, append and extend are read"))

    def _assign(self, name, node):
        self.lists.pop(name, None)
        self.values.pop(name, None)
        try:
            if self._is_list(node):
                self.lists[name] = self._entries(node, name in TABLES)
            else:
                self.values[name] = Entry(self._value(node), node.lineno)
        except Unreadable as problem:
            if name in TABLES:
                self.problems.append(Problem(problem.line, f"{name}: {problem}"))

    def _extend(self, name, node):
        try:
            self.lists[name] = self.lists.get(name, []) + self._entries(node, name in TABLES)
        except Unreadable as problem:
            if name in TABLES:
                self.problems.append(Problem(problem.line, f"{name}: {problem}"))

    def _read_call(self, statement):
        """Whether the statement is NAME.append(LITERAL) or NAME.extend(LIST), and does it."""
        call = statement.value if isinstance(statement, ast.Expr) else None
        if not isinstance(call, ast.Call) or len(call.args) != 1 or call.keywords:
            return False
        method = call.func
        if not isinstance(method, ast.Attribute) or not isinstance(method.value, ast.Name):
            return False
        argument = call.args[0]
        if method.attr == "append":
            argument = ast.copy_location(ast.List([argument], ast.Load()), argument)
        elif method.attr != "extend":
            return False
        self._extend(method.value.id, argument)
        return True

    @staticmethod
    def _matters(statement):
        """Whether the statement may give a table a value, for all that its syntax tells."""
        if isinstance(statement, (ast.Import, ast.Pass)):
            return False
        for node in ast.walk(statement):
            if isinstance(node, ast.ImportFrom) and \
                    any(alias.name in ("*",) + TABLES for alias in node.names):
                return True
            if isinstance(node, ast.Name) and node.id in TABLES + ("exec", "eval", "globals"):
                return True
        return False

    def _is_list(self, node):
        if isinstance(node, ast.BinOp):
            return self._is_list(node.left) or self._is_list(node.right)
        return isinstance(node, (ast.List, ast.Tuple)) or \
            isinstance(node, ast.Name) and node.id in self.lists

    def _entries(self, node, is_table):
        """The elements of a list. One that is no literal is left out of a table, with a Problem."""
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
            return self._entries(node.left, is_table) + self._entries(node.right, is_table)
        if isinstance(node, ast.Name) and node.id in self.lists:
            return list(self.lists[node.id])
        if not isinstance(node, (ast.List, ast.Tuple)):
            raise Unreadable(node, "not a list of literals")
        entries = []
        for element in node.elts:
            try:
                entries.append(Entry(self._value(element), element.lineno))
            except Unreadable as problem:
                if not is_table:
                    raise
                self.problems.append(Problem(problem.line, "an element that is not a literal"))
        return entries

    def _value(self, node):
        if isinstance(node, ast.Constant) and isinstance(node.value, (str, int, float)):
            return node.value
        if isinstance(node, (ast.List, ast.Tuple)):
            return [self._value(element) for element in node.elts]
        if isinstance(node, ast.Dict) and None not in node.keys:
            return {self._value(key): self._value(value) for key, value in zip(node.keys, node.values)}
        if isinstance(node, ast.Name) and node.id in self.values:
            return self.values[node.id].value
        if isinstance(node, ast.Attribute) and ast.unparse(node) == "sys.float_info.max":
            return sys.float_info.max
        if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.Mult)):
            return self._combine(node)
        raise Unreadable(node)

    def _combine(self, node):
        """'a' + 'b', 2 + 3 and 30 * 60."""
        left, right = self._value(node.left), self._value(node.right)
        numbers = isinstance(left, (int, float)) and isinstance(right, (int, float))
        if numbers and isinstance(node.op, ast.Mult):
            return left * right
        if numbers or isinstance(left, str) and isinstance(right, str) \
                and isinstance(node.op, ast.Add):
            return left + right
        raise Unreadable(node)
