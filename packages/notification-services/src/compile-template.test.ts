import assert from "node:assert/strict";
import { test } from "node:test";
import { compileTemplate } from "./compile-template.ts";
import type { CompileText } from "./template/part.ts";

/** {{.name}} alone. */
const compile: CompileText = (text, name) => {
  if (text.includes("{{") && !text.includes("}}")) throw new Error(`${name}: unclosed action`);
  return (vars) => text.replace(/\{\{\.(\w+)\}\}/g, (_, key: string) => String(vars[key] ?? ""));
};

test("templates are printed one over the other, and an empty message leaves the earlier one", () => {
  const first = compileTemplate({
    name: "first",
    template: { message: "hi {{.who}}", webhook: { a: { method: "POST", body: "{{.who}}" } } },
    compile,
  });
  const second = compileTemplate({
    name: "second",
    template: { Message: "{{.no}}", webhook: { b: { path: "/{{.who}}", body: 5 } } },
    compile,
  });
  const vars = { who: "you" };
  assert.deepEqual(second.format(vars, first.format(vars)), {
    message: "hi you",
    webhook: {
      a: { method: "POST", body: "you", path: "" },
      b: { method: "", body: "5", path: "/you" },
    },
  });
});

test("what a template may not have is said, and what is no template is refused by its name", () => {
  const { warnings } = compileTemplate({
    name: "t",
    template: { webhok: {}, webhook: { a: { url: "x" } } },
    compile,
  });
  assert.deepEqual(warnings, [
    "webhok is of no service that this version knows; did you mean webhook?",
    "webhook.a.url is not a field that this version knows",
  ]);
  const refusal = (template: unknown) =>
    assert.throws(() => compileTemplate({ name: "t", template, compile }), Error);
  refusal([]);
  refusal({ webhook: [] });
  assert.throws(
    () => compileTemplate({ name: "t", template: { message: "{{.x" }, compile }),
    /^EntryError: template\.t: message: .*t/,
  );
});
