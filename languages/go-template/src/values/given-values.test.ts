import assert from "node:assert/strict";
import { test } from "node:test";
import { parseTime } from "@capstan/formats";
import { sprig } from "../functions/sprig.ts";
import { GoTemplate } from "../go-template.ts";
import { GoCallable, GoInt, GoList, GoStruct, GoTime } from "./value.ts";

const utcZone = { offsetAt: () => ({ seconds: 0, name: "UTC" }) };
const data = {
  time: {
    Minute: new GoInt(60_000_000_000n, "time.Duration"),
    Parse: new GoCallable(1, ([text = ""]) => {
      const ms = parseTime(text);
      if (ms === undefined) throw new Error(`cannot parse ${text}`);
      return new GoTime(BigInt(ms) * 1_000_000n, utcZone);
    }),
  },
  replicas: new GoInt(3, "int64"),
  secret: new GoList(
    [..."key"].map((one) => new GoInt(one.charCodeAt(0), "uint8")),
    "uint8",
  ),
  details: new GoStruct(
    "shared.AppDetail",
    { Type: "Helm" },
    { Value: new GoCallable(1, ([name = ""]) => `value of ${name}`) },
  ),
};

const cases: readonly (readonly [template: string, printed: string | RegExp])[] = [
  ['{{(call .time.Parse "2024-01-02T03:04:05Z").Format "15:04"}}', "03:04"],
  ['{{((call .time.Parse "2024-01-02T03:04:05Z").Add .time.Minute).Format "15:04"}}', "03:05"],
  ['{{call .time.Parse "x"}}', /error calling call: cannot parse x/],
  ["{{call .time.Parse}}", /error calling call: wrong number of args: got 0 want 1/],
  ["{{call .time.Parse 1}}", /error calling call: arg 0: value has type int; should be string/],
  ["{{.time.Minute}} {{.time.Minute.Seconds}}", "1m0s 60"],
  ["{{if eq .replicas 3}}three{{end}}", "three"],
  ["{{.secret}} {{.secret | toString}} {{printf `%s` .secret}}", "[107 101 121] key key"],
  ["{{.details.Type}} {{.details.Value `x`}}", "Helm value of x"],
  ["{{.details.Other}}", /can't evaluate field Other in type shared\.AppDetail/],
  ["{{toJson .details}}", '{"Type":"Helm"}'],
];

for (const [template, printed] of cases)
  test(`of given values ${template} is ${printed}`, () => {
    const play = () => new GoTemplate(template, { functions: sprig, name: "t" }).execute(data);
    if (typeof printed === "string") assert.equal(play(), printed);
    else assert.throws(play, printed);
  });
