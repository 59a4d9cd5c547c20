"""What mutants.py changes, and which tests are to notice."""

from __future__ import annotations

import ast
from collections.abc import Iterator

# Reader, ledger, gate and release, and what decides which labels count. Quick tests first.
TARGETS = {
    "flows/storage/ledger.py": ["tests/flows/storage/test_ledger.py"],
    "flows/storage/objects.py": ["tests/flows/storage/test_objects.py"],
    "flows/storage/order.py": ["tests/flows/storage/test_order_rules.py"],
    "flows/storage/replay.py": ["tests/flows/storage/test_replay.py"],
    "flows/storage/state.py": ["tests/flows/storage/test_order_rules.py", "tests/flows/storage/test_state.py"],
    "flows/reading/scan.py": ["tests/flows/reading/test_scan.py", "tests/flows/reading/test_tables.py"],
    "flows/labels/set_checks.py": [
        "tests/flows/ingest/test_set_checks.py",
        "tests/flows/ingest/test_reasons.py",
        "tests/flows/ingest/test_ingest.py",
    ],
    "agreement/gate.py": [
        "tests/agreement/test_gate_words.py",
        "tests/agreement/test_gate.py",
        "tests/agreement/test_gate_exhaustive.py",
    ],
    "agreement/rules.py": ["tests/agreement/test_rules.py", "tests/agreement/test_gate.py"],
    "agreement/specific.py": ["tests/agreement/test_specific.py"],
    "flows/releases/reference_set.py": ["tests/flows/releases/test_reference_set.py"],
    "flows/releases/release_check.py": ["tests/flows/releases/test_release_check.py"],
}
WITHOUT_CONFTEST = (
    "tests/agreement",
    "tests/flows/reading",
    "tests/flows/storage/test_ledger.py",
    "tests/flows/storage/test_order_rules.py",
)
_NUMBERS = "no two events have one number"
_SHORTCUT = "a shortcut where there is nothing to find: the long way finds the same, more slowly"
_WINDOW = "looks at more bytes, or once more, before it goes on: the same is found"
# Changes that make no difference to anybody, and why: counted as neither caught nor lived.
NO_DIFFERENCE = {
    ("flows/reading/scan.py", "if not is_quote.any(): -> if False:"): _SHORTCUT,
    ("flows/reading/scan.py", "if self.result.counts.get(code, 0) >= LISTED: -> if False:"): _SHORTCUT,
    (
        "flows/reading/scan.py",
        "self.result.counts.get(code, 0) >= LISTED -> self.result.counts.get(code, 0) > LISTED",
    ): _SHORTCUT,
    ("flows/reading/scan.py", "start < len(text) -> start <= len(text)"): "nothing is left there, and nothing is UTF-8",
    (
        "flows/reading/scan.py",
        "(i := buffer.find(b'\"', i)) >= 0 -> (i := buffer.find(b'\"', i)) > 0",
    ): "the search begins at 1 or later",
    (
        "flows/reading/scan.py",
        "ends > starts -> ends >= starts",
    ): "before an empty line stands a line feed or nothing, never a carriage return",
    ("flows/reading/scan.py", "spans > 0 -> spans >= 0"): "lists also the records that are no line longer",
    ("flows/reading/scan.py", "len(buffer) - at < reach -> len(buffer) - at <= reach"): _WINDOW,
    ("flows/reading/scan.py", "broken or not used -> broken and (not used)"): _WINDOW,
    ("flows/storage/state.py", "event.seq < self.measured[-1].seq -> event.seq <= self.measured[-1].seq"): _NUMBERS,
    (
        "flows/storage/state.py",
        "round_state.results_seen < event.seq -> round_state.results_seen <= event.seq",
    ): _NUMBERS,
    ("flows/labels/set_checks.py", "if not bad: -> if False:"): _SHORTCUT,
    ("flows/labels/set_checks.py", "if not counts: -> if False:"): _SHORTCUT,
    ("flows/labels/set_checks.py", "if not ids: -> if False:"): _SHORTCUT,
    ("flows/labels/set_checks.py", "if not count(con, '(select 1 from present limit 1)'): -> if False:"): _SHORTCUT,
}
SWAPPED = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}


def mutants(target: str, source: str) -> Iterator[tuple[str, str]]:
    """Every single change of the source: what it is, and the source with it.

    A comparison by its neighbour (`<` by `<=`, `==` by `!=`, `in` by `not in`), `and` by `or`, `not x` by `x`, `+` by
    `-`, and a branch never taken.
    """
    n_nodes = sum(1 for _ in ast.walk(ast.parse(source)))
    for number in range(n_nodes):
        tree = ast.parse(source)
        node = next(node for i, node in enumerate(ast.walk(tree)) if i == number)
        before = _text(node)
        if _change(node):
            what = f"{before} -> {_text(node)}"
            if (target, what) not in NO_DIFFERENCE:
                yield f"line {node.lineno}: {what}", ast.unparse(tree)  # type: ignore[attr-defined]  # only nodes with a line are changed


def _text(node: ast.AST) -> str:
    return ast.unparse(node).split("\n")[0][:70] if isinstance(node, ast.expr | ast.stmt) else ""


def _change(node: ast.AST) -> bool:
    if isinstance(node, ast.Compare) and type(node.ops[0]) in SWAPPED:
        node.ops[0] = SWAPPED[type(node.ops[0])]()
    elif isinstance(node, ast.BoolOp):
        node.op = ast.Or() if isinstance(node.op, ast.And) else ast.And()
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        node.op, node.operand = ast.Not(), ast.UnaryOp(ast.Not(), node.operand)
    elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub):
        node.op = ast.Sub() if isinstance(node.op, ast.Add) else ast.Add()
    elif isinstance(node, ast.If):
        node.test = ast.Constant(False)
    else:
        return False
    return True
