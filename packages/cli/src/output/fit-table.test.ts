import assert from "node:assert/strict";
import { test } from "node:test";
import { stripVTControlCharacters } from "node:util";
import { formatList } from "./table.ts";

const names = ["NAME", "CLUSTER", "STATUS", "REPO", "PATH"];
const rows = ["one", "two"].map((name) => [
  ...[`argocd/${name}-of-the-payments-team`, "https://kubernetes.default.svc", "\x1b[32mSynced\x1b[39m"],
  ...[`https://git.example.com/payments/deployments/${name}.git`, name],
]);
const table = [names, ...rows];
const plain = (text: string) => stripVTControlCharacters(text);
const widest = (text: string) => Math.max(...text.split("\n").map((line) => line.length));

test("a pipe and a wide terminal get the whole list", () => {
  const whole = formatList(table, undefined);
  assert.match(whole, /deployments\/two\.git {2}two\n$/);
  assert.equal(formatList(table, 200), whole);
});

test("on a narrower one long cells lose their middle, and every column stays", () => {
  const text = plain(formatList(table, 110));
  assert.ok(widest(text) <= 110, text);
  assert.match(text, /^NAME +CLUSTER +STATUS +REPO +PATH\n/);
  assert.match(text, /https:\S*…\S*one\.git {2}one\n/);
});

test("where that is not enough, what is the same in each row is left out, and said to be", () => {
  const text = plain(formatList(table, 70));
  assert.match(text, /^NAME +STATUS +REPO +PATH\nargocd\/one-of-the-payments-team /);
  assert.ok(widest(text.split("\n(")[0] ?? "") <= 70, text);
  assert.match(text, /the same in each row, and shown by \| cat: CLUSTER\)\n$/);
});

test("of one row nothing is left out, however narrow the terminal", () => {
  assert.match(formatList(table.slice(0, 2), 20), /NAME.*CLUSTER.*STATUS.*REPO.*PATH/);
});
