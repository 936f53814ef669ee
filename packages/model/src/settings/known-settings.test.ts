import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { annotationKeys, finalizers, labelKeys } from "../annotations.ts";
import { applicationSchema } from "../application/application.ts";
import { applicationSetSchema } from "../application-set/application-set.ts";
import { appProjectSchema } from "../project/app-project.ts";
import { writableSyncOptions } from "../sync-options/write-sync-options.ts";
import { leavesOf, ruleOf } from "./fields.ts";
import type { KnownSetting, SettingHolder } from "./known-setting.ts";
import { findKnown, knownSettings } from "./known-settings.ts";

const packages = join(import.meta.dirname, "..", "..", "..");
const all = knownSettings();
const nameOf = ({ holder, part, key }: KnownSetting) => `${holder}: ${part} ${key}`;

test("each setting stands in the table once", () => {
  const names = all.map(nameOf);
  assert.deepEqual(
    names.filter((name, index) => names.indexOf(name) !== index),
    [],
  );
  assert.ok(all.length > 600, `${all.length} settings`);
});

test("whatever is not honoured says what follows or what to do, and nothing that is honoured blocks", () => {
  for (const one of all) {
    if (one.standing === "honoured") assert.equal(one.blocks, false, nameOf(one));
    else assert.ok(one.note.length > 10, nameOf(one));
  }
});

const texts = new Map<string, string>();
function textOf(folder: string): string {
  const known = texts.get(folder);
  if (known !== undefined) return known;
  const dir = join(packages, folder);
  assert.ok(existsSync(dir), folder);
  const files = readdirSync(dir, { recursive: true, encoding: "utf8" }).filter(
    (name) => /\.tsx?$/.test(name) && !name.includes(".test.") && !name.includes("testdata"),
  );
  const text = files
    .map((name) => join(dir, name))
    .filter((file) => statSync(file).isFile())
    .map((file) => readFileSync(file, "utf8"))
    .join("\n");
  texts.set(folder, text);
  return text;
}

const constants = new Map(
  Object.entries({ ...annotationKeys, ...labelKeys, ...finalizers }).map(([name, key]) => [
    key as string,
    name,
  ]),
);

/** Texts of which one stands in the code that reads a setting. */
function traces({ key, part }: KnownSetting): string[] {
  const whole = key.replace(/<[^>]*>.*$/, "");
  if (part === "field") return [key.replaceAll("[]", "").split(".").at(-1) ?? ""];
  // Decisions are called as the options are, with a small first letter.
  if (part === "sync option")
    return [(whole.split("=")[0] ?? "").replace(/^./, (first) => first.toLowerCase())];
  if (part === "compare option") return [whole.split("=")[0] ?? ""];
  if (part === "label value") return [whole.split("=")[1] ?? ""];
  const constant = constants.get(whole);
  const last = whole.split(".").at(-1) ?? "";
  return [
    whole,
    ...(constant ? [constant] : []),
    ...(whole.startsWith("config.") ? [last] : []),
    whole.replace(/^webhook\./, ""),
  ];
}

/** Read by their beginnings or as parts of others. */
const readAsPart: Readonly<Record<string, string>> = {
  "<host>": "argocd-tls-certs-cm",
  "<key>": "argocd-gpg-keys-cm",
  "accounts.<name>": "accounts",
  "accounts.<name>.enabled": ".enabled",
  "accounts.<name>.password": ".password",
  "accounts.<name>.passwordMtime": ".passwordMtime",
  "accounts.<name>.tokens": ".tokens",
  "admin.password": ".password",
  "admin.passwordMtime": ".passwordMtime",
  "admin.tokens": ".tokens",
  "<name>": "secrets",
  "<trigger>.recipients.argocd-notifications.argoproj.io": "recipients.argocd-notifications.argoproj.io",
  "defaultTriggers.<service>": "defaultTriggers",
  "template.<name>": "template",
  "trigger.<name>": "trigger",
  "kustomize.path.<version>": "kustomize",
  "kustomize.version.<version>": "kustomize",
  "policy.<name>.csv": "policy",
  "spec.source.kustomize.patches[].target.annotationSelector": "patches",
  "spec.source.kustomize.patches[].target.labelSelector": "patches",
};

test("what is honoured is read by the code that the table names", () => {
  const missing = all.filter((one) => {
    if (one.standing !== "honoured") return false;
    assert.ok(one.readIn !== undefined, nameOf(one));
    const text = textOf(one.readIn);
    const part = readAsPart[one.key];
    return !(part === undefined ? traces(one) : [part]).some((trace) => trace !== "" && text.includes(trace));
  });
  assert.deepEqual(
    missing.map((one) => `${nameOf(one)} in ${one.readIn ?? ""}`),
    [],
  );
});

test("every field of the three kinds' specifications has a rule", () => {
  const kinds: [SettingHolder, typeof applicationSchema.shape][] = [
    ["Application", applicationSchema.shape],
    ["AppProject", appProjectSchema.shape],
    ["ApplicationSet", applicationSetSchema.shape],
  ];
  for (const [holder, shape] of kinds) {
    const spec = shape.type === "object" ? shape.properties.spec : undefined;
    assert.ok(spec);
    const without = leavesOf(spec, "spec").filter((key) => ruleOf(holder, key) === undefined);
    assert.deepEqual(without, [], holder);
  }
});

test("every sync option of the application's list, every annotation and finalizer that is read stands in the table", () => {
  const place = { holder: "Application", part: "sync option" } as const;
  for (const text of writableSyncOptions("application")) assert.ok(findKnown(place, text), text);
  const keys = new Set(all.map(({ key }) => key));
  for (const key of [...Object.values(annotationKeys), ...Object.values(finalizers), labelKeys.plugin])
    assert.ok(keys.has(key), key);
});
