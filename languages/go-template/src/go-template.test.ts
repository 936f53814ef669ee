import assert from "node:assert/strict";
import { test } from "node:test";
import { defineRest, GoTemplate, type MissingKey, sprig, TemplateError } from "./index.ts";
import played from "./testdata/played-by-go.json" with { type: "json" };

interface Case {
  readonly template: string;
  readonly missingKey?: string;
  readonly output?: string;
  readonly error?: string;
}

const missingKeys: readonly MissingKey[] = ["default", "zero", "error"];

function play({ template, missingKey = "default" }: Case): Pick<Case, "output" | "error"> {
  try {
    const read = new GoTemplate(template, { functions: sprig });
    const known = missingKeys.find((one) => one === missingKey) ?? "default";
    return { output: read.execute(played.data, { missingKey: known }) };
  } catch (error) {
    if (error instanceof TemplateError) return { error: error.message };
    throw error;
  }
}

test("templates print what Go's text/template with sprig prints, and fail where it fails", () => {
  for (const one of played.cases as readonly Case[]) {
    const { output, error } = play(one);
    assert.equal(output, one.output, `${one.template}: ${error}`);
  }
});

test("a failure is said in Go's words, with its place", () => {
  const said = (text: string): string | undefined => play({ template: text }).error;
  assert.equal(
    said("a\n{{.name.deep}}"),
    'template: :2:7: executing "" at <.name.deep>: can\'t evaluate field deep in type string',
  );
  assert.equal(said("{{nope 1}}"), 'template: :1: function "nope" not defined');
  assert.equal(
    said('{{fail "why"}}'),
    'template: :1:2: executing "" at <fail "why">: error calling fail: why',
  );
  assert.equal(said("{{upper 1}}"), 'template: :1:8: executing "" at <1>: expected string; found 1');
  assert.equal(said("{{if .yes}}"), "template: :1: unexpected EOF");
});

test("what reads the machine is no function", () => {
  for (const name of ["env", "expandenv", "getHostByName"])
    assert.match(play({ template: `{{${name} "HOME"}}` }).error ?? "", /not defined/);
  for (const name of ["constructor", "__proto__", "toString.constructor"])
    assert.equal(play({ template: `{{.labels.${name}}}` }).output, "<no value>");
});

/** With limits that are reached soon. */
function refusal(template: string, { steps = 200_000, size = 2 ** 20 } = {}): string | undefined {
  try {
    new GoTemplate(template, { functions: sprig }).execute(played.data, { steps, size });
  } catch (error) {
    if (error instanceof TemplateError) return error.message;
    throw error;
  }
  return undefined;
}

test("a template that loops, doubles, recurses or nests ends with a sentence", () => {
  const endless = [
    "{{range 1000000000}}{{end}}",
    '{{$x := "0123456789"}}{{range 60}}{{$x = print $x $x}}{{end}}{{$x}}',
    '{{repeat 1000000000 "abc"}}',
    "{{until 1000000000}}",
    "{{indent 1000000000 .name}}",
    '{{printf "%1000000d%1000000d%1000000d%1000000d%1000000d%1000000d%1000000d%1000000d%1000000d%1000000d%1000000d%1000000d%1000000d%1000000d%1000000d%1000000d%1000000d" 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1}}',
    '{{define "r"}}{{template "r"}}{{end}}{{template "r"}}',
    '{{$d := dict}}{{range 60}}{{$d = dict "a" $d "b" $d}}{{end}}{{toJson $d}}',
    '{{$d := dict}}{{range 60}}{{$d = dict "a" $d "b" $d}}{{end}}{{$d}}',
    '{{$d := dict}}{{range 100000}}{{$d = dict "a" $d}}{{end}}{{$d}}',
    '{{range 100000}}{{$x := bcrypt "a"}}{{end}}',
    "{{".repeat(5) + "(".repeat(100_000),
    "{{if 1}}".repeat(100_000),
  ];
  for (const template of endless) {
    const error = refusal(template);
    assert.match(
      error ?? "",
      /takes more than|makes more than|exceed|nested too deeply|unrecognized|unexpected/,
      template.slice(0, 60),
    );
  }
});

test("no function makes much, or goes through much, for a few steps", () => {
  const endless = [
    '{{$_ := randAlpha -9007199254740991}}{{repeat 100000000 "a"}}',
    '{{$x := repeat 50000 "a"}}{{range 60000}}{{$_ := upper $x}}{{end}}',
    '{{$x := repeat 50000 "a"}}{{range 60000}}{{$_ := contains "b" $x}}{{end}}',
    '{{$x := repeat 50000 "a"}}{{range 60000}}{{$_ := regexMatch "b" $x}}{{end}}',
    `{{$l := splitList "," (repeat 5000 ",")}}{{range 60000}}{{$_ := compact $l}}{{end}}`,
    `{{$l := splitList "," (repeat 5000 ",")}}{{range 60000}}{{$_ := rest $l}}{{end}}`,
    `{{$l := splitList "," (repeat 5000 ",")}}{{range 60000}}{{$_ := chunk 5000 $l}}{{end}}`,
    `{{$l := splitList "," (repeat 5000 ",")}}{{range 60000}}{{$_ := sortAlpha $l}}{{end}}`,
    `{{$d := split "," (repeat 5000 ",")}}{{range 60000}}{{range $d}}{{break}}{{end}}{{end}}`,
    `{{$d := split "," (repeat 5000 ",")}}{{range 60000}}{{$_ := merge (dict "a" $d) (dict "a" $d)}}{{end}}`,
    ...[
      "toString",
      "quote",
      "squote",
      "cat",
      "toDecimal",
      "toStrings (list $d) |",
      "sortAlpha (list $d) |",
    ].map((print) => `{{$d := dict}}{{range 60}}{{$d = dict "a" $d "b" $d}}{{end}}{{${print} $d}}`),
    '{{$d := dict}}{{range 60}}{{$d = dict "a" $d "b" $d}}{{end}}{{$_ := dict $d 1}}',
    '{{$d := dict}}{{$e := dict}}{{range 60}}{{$d = dict "a" $d "b" $d}}{{$e = dict "a" $e "b" $e}}{{end}}{{merge $d $e}}',
    '{{$d := dict}}{{range 100}}{{$d = dict "a" $d}}{{end}}{{$e := dict}}{{range 60000}}{{$_ := set $e "a" $d}}{{end}}',
    '{{printf "%100000d" (until 10000)}}',
    `{{$x := repeat 20000 "a"}}{{printf "${"%[1]q".repeat(5_000)}" $x}}`,
    `{{regexReplaceAll "a+" (repeat 20000 "a") "${"$0".repeat(4_000)}"}}`,
    '{{$d := splitList "," (repeat 2000 ",")}}{{range 900}}{{$d = list $d}}{{end}}{{toPrettyJson $d}}',
    `{{mulf ${".n ".repeat(20_000)}}}`,
    '{{range 60000}}{{$_ := date_in_zone "2006" 0 "Europe/Berlin"}}{{end}}',
    `{{range 60000}}{{$${".a".repeat(20_000)}}}{{end}}`,
    `${"{{$a := 1}}".repeat(20_000)}{{range 60000}}{{$}}{{end}}`,
  ];
  for (const template of endless) {
    const error = refusal(template, { steps: 100_000, size: 2 ** 17 });
    assert.match(
      error ?? "",
      /takes more than 100000 steps|makes more than 131072 characters|more than 1000 variables/,
      template.slice(0, 90),
    );
  }
});

test("what is long is read in proportion to its length", () => {
  const long = (text: string): string => text.repeat(300_000);
  assert.equal(play({ template: String.raw`{{"\xe2\u00e4\342\x82\xac\n"}}` }).output, "\ufffdä€\n");
  assert.equal(play({ template: `{{float64 "${long("1")}x"}}` }).output, "0");
  assert.equal(play({ template: `{{base "${long("/")}x"}}` }).output, "x");
  assert.equal(play({ template: `{{wrapWith 1 "-" "${long("a")}" | len}}` }).output, "599999");
  for (const number of [`${long("1")}_`, `0x${long("a")}`])
    assert.match(play({ template: `{{${number}}}` }).error ?? "", /illegal number syntax/);
});

test("a list that is handed on is not counted anew", () => {
  const template =
    '{{$d := dict "all" (until 10000)}}{{range 1000}}{{$_ := set $d "n" .}}{{$_ := get $d "all"}}{{end}}{{len $d.all}}';
  assert.equal(play({ template }).output, "10000");
});

test("a map may hold itself; what goes through all of it, which ends Go's own program, fails", () => {
  const own = '{{$_ := set . "a" (list .)}}';
  for (const template of [
    "{{.}}",
    '{{printf "%d" .}}',
    "{{quote .a}}",
    "{{join `,` .a}}",
    "{{deepCopy .}}",
    "{{merge . (deepCopy .)}}",
    "{{int .}}",
    "{{slice .a .}}",
  ])
    assert.match(play({ template: own + template }).error ?? "", /nested too deeply|call stack|holds itself/);
  for (const [template, output] of [
    ["{{len .a}}{{kindOf .}}{{(index .a 0).name}}", "1mapbob"],
    ["{{toJson .}}{{toPrettyJson .a}}|", "|"],
    [
      '{{$d := dict "a" (list 1)}}{{$e := dict "a" (list $d)}}{{deepEqual . $d}}{{has . .a}}{{hasKey $e "a"}}',
      "falsetruetrue",
    ],
    ['{{$d := dict}}{{$_ := set $d "d" $d}}{{$e := dict}}{{$_ := set $e "d" $e}}{{deepEqual $d $e}}', "true"],
  ] as const)
    assert.equal(play({ template: own + template }).output, output, template);
  for (const must of ["mustToJson", "toRawJson"])
    assert.match(
      play({ template: `${own}{{${must} .}}` }).error ?? "",
      /json: unsupported value: encountered a cycle via map\[string\]interface \{\}$/,
    );
});

test("maps that are each other's likeness many times over are compared in proportion to what they hold", () => {
  const template =
    '{{$d := dict}}{{$e := dict}}{{range 60}}{{$d = dict "a" $d "b" $d}}{{$e = dict "a" $e "b" $e}}{{end}}{{deepEqual $d $e}}';
  assert.equal(play({ template }).output, "true");
});

test("further functions win over Go's own", () => {
  const shout = defineRest([], "string", (_none, texts) => texts.join("").toUpperCase());
  assert.equal(new GoTemplate('{{print "a" "b"}}', { functions: { print: shout } }).execute({}), "AB");
});
