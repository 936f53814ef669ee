import assert from "node:assert/strict";
import { test } from "node:test";
import type { YamlValue } from "@capstan/krm-yaml";
import { executeScript, type StarlarkEnd } from "./execute-script.ts";
import { StarlarkError } from "./script-error.ts";

function execute(source: string, resourceList: YamlValue = null, maxSteps = 1_000_000): StarlarkEnd {
  const environment = { REGION: "eu" };
  return executeScript({ name: "script", source, resourceList, environment, nowMs: 0, maxSteps });
}

function errorOf(source: string, maxSteps?: number): StarlarkError {
  try {
    execute(source, null, maxSteps);
  } catch (error) {
    if (error instanceof StarlarkError) return error;
    throw error;
  }
  return assert.fail(`no error from ${source}`);
}

/** What `print` shows of an expression. */
const shown: readonly (readonly [expression: string, text: string])[] = [
  ["7 // -2, -7 % 3, 7 / 2, 2 << 70", "(-4, 2, 3.5, 2361183241434822606848)"],
  ["1.0, 1e6, 1e-5, 123456.0, float('nan')", "(1.0, 1e+06, 1e-05, 123456.0, nan)"],
  ["0x1f, 0o17, 0b101, 1 == 1.0, True == 1", "(31, 15, 5, True, False)"],
  ["'é', len('é'), 'é'.upper(), [c for c in 'é'.codepoints()]", '("é", 2, "É", ["é"])'],
  [
    "'a-b-c'.rsplit('-', 1), ' a  b '.split(), 'abc'.partition('b')",
    '(["a-b", "c"], ["a", "b"], ("a", "b", "c"))',
  ],
  ["'%s %r %d %x %%' % ('s', 's', 3, 255)", 's "s" 3 ff %'],
  ["'{} {x!r} {{}}'.format(1, x='y')", '1 "y" {}'],
  ["'%(a)s' % {'a': 1}", "1"],
  ["'abcdef'[1:-1:2], 'abc'[::-1], [1, 2, 3][-2:], (1,)", '("bd", "cba", [2, 3], (1,))'],
  ["[x * y for x in range(4) if x % 2 for y in (1, 10)]", "[1, 10, 3, 30]"],
  ["{k: v for k, v in [('a', 1), ('b', 2)]}", '{"a": 1, "b": 2}'],
  ["{'a': 1} | {'a': 2, 'b': 3}", '{"a": 2, "b": 3}'],
  [
    "set([1, 2]) & set([2, 3]), set([1]) | set([2]), set([1, 2]) - set([2])",
    "(set([2]), set([1, 2]), set([1]))",
  ],
  ["sorted([3, 1, 2], reverse=True), sorted(['bb', 'a'], key=len)", '([3, 2, 1], ["a", "bb"])'],
  ["min(3, 1), max([1, 5], key=lambda x: -x), zip([1, 2], 'ab'.elems())", '(1, 1, [(1, "a"), (2, "b")])'],
  ["(lambda x, *a, y=3, **k: (x, a, y, k))(1, 2, y=4, z=5)", '(1, (2,), 4, {"z": 5})'],
  ["'b' in {'b': 1}, 'x' not in 'abc', 2 in [1, 2], 1 if [] else 2", "(True, True, True, 2)"],
  ["b'ab'[0], list(b'ab'.elems()), bytes('é'), hash('abc')", '(b"a", [97, 98], b"é", 96354)'],
  ["type(1), type(None), type(range(3)), dir({})[:2]", '("int", "NoneType", "range", ["clear", "get"])'],
  [
    "int('ff', 16), int(-2.9), int('0x10', 0), float('1.5'), str([1, 'a'])",
    '(255, -2, 16, 1.5, "[1, \\"a\\"]")',
  ],
  ["getattr(ctx, 'nothing', 1), hasattr('', 'join'), ctx.environment['REGION']", '(1, True, "eu")'],
  ["any([0, 1]), all([]), reversed([1, 2]), enumerate(['a'], 1)", '(True, True, [2, 1], [(1, "a")])'],
];

test("expressions give what go.starlark.net gives", () => {
  for (const [expression, text] of shown)
    assert.equal(execute(`print((${expression}))`).printed, `${text}\n`, expression);
});

const messages: readonly (readonly [source: string, message: string])[] = [
  ["x = 1 and\n", "script:1:10: got newline, want primary expression"],
  ["def f(:\n  pass", "script:1:8: got ':', want ')'"],
  ["x = [1,\n", "script:2:1: got end of file, want ']'"],
  ["if True:\npass", "script:2:5: got pass, want indent"],
  ["x = 'a", "script:1:5: unexpected EOF in string"],
  ["x = '\\q'", "script:1:5: invalid escape sequence \\q"],
  ["import os", "script:1:1: got import, want primary expression"],
  ["x = 1 == 2 == 3", "script:1:14: == does not associate with == (use parens)"],
  ["print(missing)", "script:1:7: undefined: missing"],
  ["colour = 1\nprint(color)", "script:2:7: undefined: color (did you mean colour?)"],
  ["print(later)\nlater = 1", "script:1:7: undefined: later"],
  ["return 1", "script:1:1: return statement not within a function"],
  ["break", "script:1:1: break not in a loop"],
  ["f() = 1", "script:1:1: can't assign to callexpr"],
  ["def f(a, a): pass", "script:1:10: duplicate parameter: a"],
  ["def f(a=1, b): pass", "script:1:12: required parameter may not follow optional"],
  ["print(sep='', sep='')", 'script:1:15: keyword argument "sep" is repeated'],
  ["def f():\n  x += 1\nf()", "local variable x referenced before assignment"],
  ["fail('no', 1)", "fail: no 1"],
  ["{}['a']", 'key "a" not in dict'],
  ["[][0]", "index 0 out of range: empty list"],
  ["[1][3]", "list index 3 out of range [-1:0]"],
  ["1 + 'a'", "unknown binary op: int + string"],
  ["None()", "invalid call of non-function (NoneType)"],
  ["'a'.lenght", "string has no .lenght field or method"],
  ["''.uper()", "string has no .uper field or method (did you mean .upper?)"],
  ["a, b = [1]", "too few values to unpack (got 1, want 2)"],
  ["for c in 'abc': pass", "string value is not iterable"],
  ["x = [1]\nfor i in x: x.append(i)", "append: cannot append to list during iteration"],
  ["d = {'a': 1}\nfor k in d: d['b'] = 1", "cannot insert into hash table during iteration"],
  ["{[]: 1}", "unhashable type: list"],
  ["{'a': 1, 'a': 2}", 'duplicate key: "a"'],
  ["def f(a, b=1): pass\nf()", "function f missing 1 argument (a)"],
  ["def f(a): pass\nf(1, 2)", "function f accepts 1 positional argument (2 given)"],
  ["def f(a): pass\nf(b=1)", 'function f got an unexpected keyword argument "b"'],
  ["ctx.resource_list = 1", "can't assign to .resource_list field of struct"],
  ["load('nothing.star', 'x')", "load: name x not found in module nothing.star"],
  [
    "load('http.star', 'http')\nhttp.get('x')",
    "get of http.star is not available here; use the function's image for it",
  ],
  ["ctx.open_api['definitions']", "ctx.open_api is not available here; use the function's image for it"],
  ["1 // 0", "floored division by zero"],
  ["1 << 600", "shift count too large: 600"],
];

test("mistakes are told as go.starlark.net tells them", () => {
  for (const [source, message] of messages) assert.equal(errorOf(source).message, message, source);
});

test("an error tells the calls that led to it, and what was printed before", () => {
  const error = errorOf("def f(x):\n  return x[1]\nprint('before')\nf({})\n");
  assert.deepEqual(error.trace, ["script:4:2: in <toplevel>", "script:2:11: in f"]);
  assert.equal(error.printed, "before\n");
});

const boundless: readonly (readonly [what: string, source: string, message: RegExp])[] = [
  ["a loop without end", "while True: pass", /too many steps/],
  ["a loop over a huge range", "for i in range(1 << 40): pass", /too many steps/],
  ["a list of a huge range", "list(range(1 << 40))", /too many steps/],
  ["recursion without end", "def f(): return f()\nf()", /stack overflow/],
  ["lambdas that call each other", "f = lambda x: f(x)\nf(1)", /stack overflow/],
  ["a string that doubles", "s = 'x'\nfor i in range(60): s += s", /longer than|too many steps/],
  ["a repeated string", "'ab' * (1 << 30)", /excessive repeat|too large/],
  ["a repeated list", "[0] * (1 << 30)", /excessive repeat/],
  ["a list that doubles", "x = [1]\nfor i in range(60): x = x + x", /too many steps/],
  ["a number that squares", "x = 3\nfor i in range(60): x *= x", /65536 bits/],
  ["the text of shared lists", "x = [1]\nfor i in range(60): x = [x, x]\nprint(x)", /too many steps/],
  ["the keys of shared tuples", "x = (1,)\nfor i in range(60): x = (x, x)\n{x: 1}", /too many steps/],
  [
    "equality of shared lists",
    "x, y = [1], [1]\nfor i in range(60): x, y = [x, x], [y, y]\nx == y",
    /recursion depth|steps/,
  ],
  ["deep brackets", `x = ${"(".repeat(2_000)}1${")".repeat(2_000)}`, /excessive nesting/],
  ["deep operators", `x = ${"-".repeat(5_000)}1`, /excessive nesting/],
  ["a replacement in every place", "s = 'a' * 100000\ns.replace('', s)", /longer than|too many steps/],
];

test("no script goes on without end", () => {
  for (const [what, source, message] of boundless)
    assert.match(errorOf(source, 500_000).message, message, what);
});

test("the resource list comes back as the script left it", () => {
  const list = new Map<string, YamlValue>([["items", [new Map([["kind", "A"]]), new Map([["kind", "B"]])]]]);
  const source = [
    "ctx.resource_list['items'] = [r for r in ctx.resource_list['items'] if r['kind'] != 'A']",
    "for r in ctx.resource_list['items']:",
    "  r['spec'] = {'replicas': 3, 'ratio': 0.5, 'names': ('ä', None), 'on': True}",
  ].join("\n");
  const spec = new Map<string, YamlValue>([
    ["replicas", 3n],
    ["ratio", 0.5],
    ["names", ["ä", null]],
    ["on", true],
  ]);
  const items = [
    new Map<string, YamlValue>([
      ["kind", "B"],
      ["spec", spec],
    ]),
  ];
  assert.deepEqual(execute(source, list).resourceList, new Map([["items", items]]));
});

test("a resource list that is no data is refused", () => {
  const list = (): YamlValue => new Map<string, YamlValue>([["items", []]]);
  const wrong: readonly (readonly [string, RegExp])[] = [
    ["ctx.resource_list['items'].append(len)", /unrecognized starlark type: builtin_function_or_method/],
    ["ctx.resource_list['items'].append(ctx.resource_list)", /holds itself/],
    ["x = []\nfor i in range(40): x = [x, x]\nctx.resource_list['x'] = x", /more than \d+ values|steps/],
    ["ctx.resource_list['x'] = 1 << 64", /out of range/],
  ];
  for (const [source, message] of wrong) assert.throws(() => execute(source, list(), 1_000_000), message);
});

const libraries: readonly (readonly [load: string, expression: string, text: string])[] = [
  [
    "'encoding/json.star', 'json'",
    "json.encode({'b': [1, 2.0, None], 'a': 'é<'})",
    '{"a":"é\\u003c","b":[1,2.0,null]}',
  ],
  ["'encoding/json.star', 'json'", 'json.decode(\'{"a": [1, 2.0, "\\\\u00e9"]}\')', '{"a": [1, 2.0, "é"]}'],
  [
    "'encoding/yaml.star', 'yaml'",
    "yaml.loads('a: [1, x]'), yaml.dumps({'b': 1, 'a': [2]})",
    '({"a": [1, "x"]}, "a:\\n- 2\\nb: 1\\n")',
  ],
  ["'encoding/base64.star', 'base64'", "base64.encode('hi?'), base64.decode('aGk/')", '("aGk/", "hi?")'],
  [
    "'encoding/csv.star', 'csv'",
    "csv.read_all('a,\"b\"\"\"\\n'), csv.write_all([['x,y', 1]])",
    '([["a", "b\\""]], "\\"x,y\\",1\\n")',
  ],
  ["'hash.star', 'hash'", "hash.md5('x')", "9dd4e461268c8034f5c8564e155c67a6"],
  ["'math.star', 'math'", "math.floor(2.5), math.pow(2, 3), math.round(-2.5)", "(2, 8.0, -3.0)"],
  [
    "'re.star', 're'",
    "re.sub('(a)b', '${1}c', 'ab ab'), re.findall('[0-9]+', 'a1 b22')",
    '("ac ac", ("1", "22"))',
  ],
  ["'krmfn.star', 'krmfn'", "krmfn.match_name({'metadata': {'name': 'a'}}, 'a')", "True"],
];

test("the libraries of kpt's function", () => {
  for (const [load, expression, text] of libraries)
    assert.equal(execute(`load(${load})\nprint((${expression}))`).printed, `${text}\n`, expression);
});
