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
function refusal(template: string): string | undefined {
  try {
    new GoTemplate(template, { functions: sprig }).execute(played.data, { steps: 200_000, size: 2 ** 20 });
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
    '{{$d := dict}}{{$e := dict}}{{range 60}}{{$d = dict "a" $d "b" $d}}{{$e = dict "a" $e "b" $e}}{{end}}{{deepEqual $d $e}}',
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

test("a map cannot be put into itself, which ends Go's own program", () => {
  for (const template of [
    '{{set . "a" .}}',
    '{{set .labels "a" (list .labels)}}',
    '{{merge .path (dict "x" (dict "y" .path))}}',
  ])
    assert.match(play({ template }).error ?? "", /a map cannot hold itself/, template);
});

test("further functions win over Go's own", () => {
  const shout = defineRest([], "string", (_none, texts) => texts.join("").toUpperCase());
  assert.equal(new GoTemplate('{{print "a" "b"}}', { functions: { print: shout } }).execute({}), "AB");
});
