import { type Case, type Json, type JsonObject, patch, post, put, type Step } from "../script.ts";
import { define, definition, definitions, objects, thing } from "./definitions.ts";

const text: JsonObject = { type: "string", maxLength: 20 };
const whole: JsonObject = { type: "integer" };
const texts: JsonObject = { type: "array", maxItems: 5, items: { type: "string", maxLength: 10 } };

const withRules = (properties: JsonObject, ...rules: readonly JsonObject[]): JsonObject => ({
  type: "object",
  properties,
  "x-kubernetes-validations": rules,
});

const compiling: Readonly<Record<string, JsonObject>> = {
  "ends early": withRules({ a: text }, { rule: "self.a ==" }),
  "undefined field": withRules({ a: text }, { rule: "self.b == 'x'" }),
  "undefined field below": withRules(
    { a: { type: "object", properties: { b: text } } },
    { rule: "self.a.c == 'x'" },
  ),
  "unknown name": withRules({ a: text }, { rule: "foo == 'x'" }),
  "wrong type": withRules({ a: whole }, { rule: "self.a == 'x'" }),
  "wrong type of an item": withRules({ a: texts }, { rule: "self.a[0] == 1" }),
  "no bool": withRules({ a: whole }, { rule: "self.a" }),
  "unknown function": withRules({ a: text }, { rule: "self.a.foo()" }),
  "unknown global function": withRules({ a: text }, { rule: "foo(self.a)" }),
  "wrong argument": withRules({ a: text }, { rule: "self.a.startsWith(1)" }),
  "whole and broken": withRules({ a: whole }, { rule: "self.a + 1.0 > 2" }),
  empty: withRules({ a: text }, { rule: "  " }),
  "message of two lines": withRules({ a: text }, { rule: "self.a == 'x'", message: "a\nb" }),
  "empty message": withRules({ a: text }, { rule: "self.a == 'x'", message: " " }),
  "message of a number": withRules({ a: whole }, { rule: "self.a == 1", messageExpression: "self.a" }),
  "message that ends early": withRules({ a: whole }, { rule: "self.a == 1", messageExpression: "'a' +" }),
  "unknown reason": withRules({ a: whole }, { rule: "self.a == 1", reason: "Bad" }),
  "path to nothing": withRules({ a: whole }, { rule: "self.a == 1", fieldPath: ".b" }),
  "path without a dot": withRules({ a: whole }, { rule: "self.a == 1", fieldPath: "a" }),
  "optionalOldSelf in vain": withRules({ a: whole }, { rule: "self.a == 1", optionalOldSelf: true }),
  "oldSelf in a list": withRules(
    { a: { type: "array", maxItems: 5, items: withRules({ b: whole }, { rule: "self.b == oldSelf.b" }) } },
    { rule: "true" },
  ),
  "two at once": withRules({ a: text }, { rule: "self.a ==" }, { rule: "self.zz" }),
  "second line": withRules({ a: text }, { rule: "self.a == 'x' &&\n  self.b == 'y'", message: "m" }),
  "logic of a number": withRules({ a: whole }, { rule: "self.a && true" }),
};

const compileCases = Object.entries(compiling).map(
  ([title, spec]): Case => ({
    name: `rules/compile/${title}`,
    steps: [post(definitions, definition({ spec }))],
  }),
);

interface Trial {
  spec: JsonObject;
  /** Each is created under a name of its own. */
  tried?: readonly Json[];
  steps?: readonly Step[];
}

const one = (properties: JsonObject, rule: string, more: JsonObject = {}): JsonObject =>
  withRules(properties, { rule, ...more });
const change = (spec: Json): Step => patch("merge", `${objects}/a`, { spec });
const create = (spec: Json): Step => post(objects, thing("a", spec));

const trials: Readonly<Record<string, Trial>> = {
  message: {
    spec: one({ a: whole }, "self.a < 10", { message: "a must be small" }),
    tried: [{ a: 20 }, { a: 1 }],
  },
  "no message": { spec: one({ a: whole }, "self.a < 10"), tried: [{ a: 20 }] },
  "made message": {
    spec: one({ a: text }, "self.a == 'x'", { messageExpression: "'not ' + self.a", message: "fixed" }),
    tried: [{ a: "q" }],
  },
  "message that cannot be made": {
    spec: one({ a: whole, b: whole }, "self.a == 1", {
      messageExpression: "string(self.b)",
      message: "fixed",
    }),
    tried: [{ a: 2 }, { a: 2, b: 3 }],
  },
  "reason and path": {
    spec: one({ a: text }, "self.a == 'x'", { reason: "FieldValueForbidden", fieldPath: ".a", message: "m" }),
    tried: [{ a: "q" }],
  },
  "reason Required": {
    spec: one({ a: text }, "has(self.a)", { reason: "FieldValueRequired", message: "m" }),
    tried: [{}],
  },
  "reason Duplicate": {
    spec: one({ a: text }, "has(self.a)", { reason: "FieldValueDuplicate" }),
    tried: [{}],
  },
  "missing field": { spec: one({ a: whole, b: whole }, "self.a < self.b"), tried: [{ a: 1 }, {}] },
  "division by zero": { spec: one({ a: whole }, "1 / self.a > 0"), tried: [{ a: 0 }, { a: 1 }] },
  "index beyond": { spec: one({ a: texts }, "self.a[2] == 'x'"), tried: [{ a: ["x"] }] },
  "missing key": {
    spec: one({ a: { type: "object", maxProperties: 5, additionalProperties: text } }, "self.a['k'] == 'x'"),
    tried: [{ a: {} }, { a: { k: "x" } }],
  },
  "several fail": {
    spec: withRules(
      { a: whole },
      { rule: "self.a > 1" },
      { rule: "self.a > 2" },
      { rule: "self.a > 3", message: "m" },
    ),
    tried: [{ a: 0 }, { a: 3 }],
  },
  "after an error of the schema": { spec: one({ a: whole }, "self.a > 1"), tried: [{ a: "x" }] },
  "below in a list": {
    spec: {
      type: "object",
      properties: { a: { type: "array", maxItems: 5, items: one({ b: whole }, "self.b > 1") } },
    },
    tried: [{ a: [{ b: 2 }, { b: 1 }] }],
  },
  "below in a map": {
    spec: {
      type: "object",
      properties: {
        a: { type: "object", maxProperties: 5, additionalProperties: one({ b: whole }, "self.b > 1") },
      },
    },
    tried: [{ a: { x: { b: 1 } } }],
  },
  "on a text": {
    spec: {
      type: "object",
      properties: { a: { ...text, "x-kubernetes-validations": [{ rule: "self.size() > 2" }] } },
    },
    tried: [{ a: "x" }, { a: "xyz" }],
  },
  "names that are words": {
    spec: one(
      { namespace: text, "a-b": text, "a.b": text },
      "self.__namespace__ == 'x' || has(self.a__dash__b) || has(self.a__dot__b)",
    ),
    tried: [{ namespace: "y" }, { "a-b": "1" }, { "a.b": "1" }],
  },
  "transition rule": {
    spec: one({ a: whole }, "self.a >= oldSelf.a", { message: "no shrinking" }),
    steps: [create({ a: 3 }), change({ a: 2 }), change({ a: 4 }), put(`${objects}/a`, thing("a", { a: 1 }))],
  },
  "optional old": {
    spec: one({ a: whole }, "oldSelf.hasValue() || self.a == 1", {
      optionalOldSelf: true,
      message: "starts at 1",
    }),
    steps: [post(objects, thing("b", { a: 2 })), create({ a: 1 }), change({ a: 2 })],
  },
  "immutable text": {
    spec: {
      type: "object",
      properties: {
        a: { ...text, "x-kubernetes-validations": [{ rule: "self == oldSelf", message: "immutable" }] },
      },
    },
    steps: [create({}), change({ a: "x" }), change({ a: "y" }), change({ a: null })],
  },
  "transition in a map list": {
    spec: {
      type: "object",
      properties: {
        a: {
          type: "array",
          maxItems: 5,
          "x-kubernetes-list-type": "map",
          "x-kubernetes-list-map-keys": ["k"],
          items: { ...one({ k: text, v: whole }, "self.v >= oldSelf.v"), required: ["k"] },
        },
      },
    },
    steps: [
      create({ a: [{ k: "x", v: 3 }] }),
      change({
        a: [
          { k: "y", v: 1 },
          { k: "x", v: 2 },
        ],
      }),
      change({
        a: [
          { k: "y", v: 1 },
          { k: "x", v: 4 },
        ],
      }),
    ],
  },
};

const trialCases = Object.entries(trials).map(
  ([title, { spec, tried = [], steps = [] }]): Case => ({
    name: `rules/evaluate/${title}`,
    steps: [
      ...define({ spec }),
      ...tried.map((value, index) => post(objects, thing(`n${index}`, value))),
      ...steps,
    ],
  }),
);

export const ruleCases: readonly Case[] = [...compileCases, ...trialCases];
