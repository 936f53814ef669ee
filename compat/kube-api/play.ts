import { createHash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { load } from "js-yaml";
import type { Answer, Target } from "./client.ts";
import { Neutral, type Seen } from "./neutral.ts";
import { at, type Case, type Step } from "./script.ts";
import type { WebhookServer } from "./webhook-server.ts";

const tries = 300;
const settleTries = 30;
const pauseMs = 100;

interface Playing {
  attempt?: number;
  /** For cases that name it. */
  webhooks?: WebhookServer;
}

/** Plays a case on one cluster; what comes back holds nothing that differs between two runs. */
export async function play(
  target: Target,
  { name, steps, calls }: Case,
  { attempt = 1, webhooks }: Playing = {},
): Promise<Seen[]> {
  const names = namesOf(attempt === 1 ? name : `${name} ${attempt}`);
  names.set("hook", `${webhooks?.url}/${target.name}/${names.get("id")}`);
  names.set("ca", webhooks?.ca ?? "");
  const namespace = { apiVersion: "v1", kind: "Namespace", metadata: { name: names.get("ns") } };
  const made = await target.send({
    method: "POST",
    path: "/api/v1/namespaces",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(namespace),
  });
  if (made.status !== 201) throw new Error(`${target.name}: no namespace for ${name}: ${made.text}`);
  if (steps.some(({ path }) => paged.test(path))) await provided(target, names);
  const neutral = new Neutral(steps.some(({ path }) => background.test(path)));
  const seen: Seen[] = [];
  for (const step of steps) {
    const answer = await ask(target, step, names);
    if (answer.status === 201 && settling.test(step.path)) await settle(target, answer);
    if (step.capture) capture(step.capture, answer, names);
    if (!step.unseen) seen.push(neutral.seen(answer, step.events !== undefined));
  }
  if (calls) {
    const text = JSON.stringify({ calls: webhooks?.callsOf(target.name, names.get("id") ?? "") });
    seen.push(neutral.seen({ status: 200, type: "application/json", warnings: [], text }, false));
  }
  return seen;
}

/** Pages of kinds of which every namespace gets one. */
const paged = /\/(?:configmaps|serviceaccounts)\?(?:.*&)?limit=/;

/** Until controllers have put into the namespace what every namespace has: whether a page is the last depends on it. */
async function provided(target: Target, names: ReadonlyMap<string, string>): Promise<void> {
  for (const name of ["configmaps/kube-root-ca.crt", "serviceaccounts/default"]) {
    const path = fill(`/api/v1/namespaces/<ns>/${name}`, names);
    for (let tried = 0; tried < tries; tried += 1) {
      if ((await target.send({ method: "GET", path, headers: {} })).status === 200) break;
      await sleep(pauseMs);
    }
  }
}

/** What kube-apiserver or a controller goes on to change after a write. */
const background =
  /\/(?:customresourcedefinitions|flowschemas|prioritylevelconfigurations|persistentvolumes|persistentvolumeclaims|validatingadmissionpolicies|volumeattributesclasses|resourcequotas)\b/;

/** What gets a status by itself, once, soon after it was created. */
const settling = /\/(?:customresourcedefinitions|flowschemas|resourcequotas|validatingadmissionpolicies)\b/;

/** Until the server has written the status that it adds by itself: the version is what later steps capture. */
async function settle(target: Target, answer: Answer): Promise<void> {
  const created: unknown = load(answer.text);
  const name = String(at(created, "metadata.name"));
  const kind = String(at(created, "kind"));
  const path = settlingPaths[kind]?.replace("<namespace>", String(at(created, "metadata.namespace")));
  if (path === undefined) return;
  let last = "";
  for (let tried = 0; tried < settleTries; tried += 1) {
    const now = await target.send({ method: "GET", path: `${path}/${name}`, headers: {} });
    if (now.status !== 200) return;
    const settled = last === now.text && (target.name === "ours" || isSettled(kind, now.text));
    last = now.text;
    answer.text = now.text;
    if (settled) return;
    await sleep(pauseMs);
  }
}

function isSettled(kind: string, text: string): boolean {
  const object: unknown = JSON.parse(text);
  if (kind === "ResourceQuota") return at(object, "status.hard") !== undefined;
  if (kind === "ValidatingAdmissionPolicy") return at(object, "status.observedGeneration") !== undefined;
  const conditions = at(object, "status.conditions");
  return Array.isArray(conditions) && conditions.length >= (kind === "CustomResourceDefinition" ? 2 : 1);
}

const settlingPaths: Readonly<Record<string, string>> = {
  CustomResourceDefinition: "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
  ResourceQuota: "/api/v1/namespaces/<namespace>/resourcequotas",
  FlowSchema: "/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas",
  ValidatingAdmissionPolicy: "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies",
};

async function ask(target: Target, step: Step, names: ReadonlyMap<string, string>): Promise<Answer> {
  const { method, path, headers = {}, body, events, until, untilText } = step;
  const text = body === undefined ? undefined : typeof body === "string" ? body : JSON.stringify(body);
  const type = text === undefined ? {} : { "content-type": "application/json" };
  const filled = Object.entries({ ...type, ...headers }).map(([key, value]) => [key, fill(value, names)]);
  const outgoing = {
    method,
    path: fill(path, names),
    headers: Object.fromEntries(filled),
    ...(text !== undefined && { body: fill(text, names) }),
    ...(events !== undefined && { lines: events }),
  };
  if (step.pauseMs !== undefined) await sleep(step.pauseMs);
  let answer = await target.send(outgoing);
  const isThere = (): boolean =>
    (until === undefined || answer.status === until) &&
    (untilText === undefined || answer.text.includes(fill(untilText, names)));
  for (let tried = 0; !isThere() && tried < tries; tried += 1) {
    await sleep(pauseMs);
    answer = await target.send(outgoing);
  }
  return answer;
}

function capture(wanted: Readonly<Record<string, string>>, answer: Answer, names: Map<string, string>): void {
  let body: unknown;
  try {
    body = JSON.parse(answer.text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  for (const [name, path] of Object.entries(wanted)) names.set(name, String(at(body, path) ?? "none"));
}

/** The same on both clusters and in every run, whichever cases are chosen. */
function namesOf(name: string): Map<string, string> {
  const digest = createHash("sha256").update(name).digest();
  const id = `c${digest.toString("hex").slice(0, 10)}`;
  const ip = `172.${(digest[10] ?? 0) % 250}.${(digest[11] ?? 0) % 250}.${((digest[12] ?? 0) % 200) + 20}`;
  return new Map([
    ["ns", `ns-${id}`],
    ["id", id],
    ["ip", ip],
  ]);
}

function fill(text: string, names: ReadonlyMap<string, string>): string {
  return text.replaceAll(/<([a-zA-Z]+)>/g, (whole, name: string) => names.get(name) ?? whole);
}
