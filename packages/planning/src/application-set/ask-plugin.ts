import type { PluginAnswer, PluginQuestion } from "@capstan/engine";
import { isRecord, parseBoundedJson, stringifyJson } from "@capstan/formats";
import { secretTexts } from "@capstan/kube";
import { labelKeys, messageOf } from "@capstan/model";
import { outbound } from "@capstan/outbound";
import type { AskNeeds } from "./ask-needs.ts";
import { readConfigMap } from "./read-config-map.ts";

const defaultSeconds = 30;
const mostSeconds = 300;
const maxAnswer = 8 * 2 ** 20;
/** Characters of what a server says of its failure. */
const maxSaid = 300;

/**
 * What the server of a plugin gives for the parameters (applicationset/services/plugin). Where it is, and by which
 * token it knows us, a ConfigMap of the control namespace says: the operator's own, so that it may be a Service of the
 * cluster or of this machine. Whatever is no list of objects is a problem, not an empty answer.
 */
export async function askPlugin(
  needs: AskNeeds,
  question: PluginQuestion,
  signal: AbortSignal,
): Promise<PluginAnswer> {
  const { configMap: name, applicationSet, parameters } = question;
  try {
    const config = await readConfigMap(needs, { name, needs: ["baseUrl", "token"] }, signal);
    const token = await readToken(needs, config.token, signal);
    const input = Object.keys(parameters).length === 0 ? {} : { parameters };
    const answer = await outbound(`${config.baseUrl.replace(/\/$/, "")}/api/v1/getparams.execute`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
      body: stringifyJson({ applicationSetName: applicationSet, input }),
      maxBytes: maxAnswer,
      timeoutMs: 1000 * readSeconds(config.requestTimeout),
      clock: needs.clock,
      signal,
    });
    const text = answer.body.toString("utf8");
    if (answer.status < 200 || answer.status > 299)
      throw new Error(`its server answers ${answer.status}: ${said(text, token)}`);
    return { objects: readObjects(text) };
  } catch (error) {
    signal.throwIfAborted();
    return { problem: `${name}: ${messageOf(error)}` };
  }
}

/** `$key` of argocd-secret, or `$secret:key` of a Secret that is marked as one of Argo CD's. */
async function readToken(
  { kube, settings, controlNamespace: namespace }: AskNeeds,
  reference: string,
  signal: AbortSignal,
): Promise<string> {
  if (!reference.startsWith("$"))
    throw new Error("its token is no reference to a Secret: write $key or $secret:key");
  const [first = "", second] = reference.slice(1).split(":");
  const [name, key] = second === undefined ? ["argocd-secret", first] : [first, second];
  const found =
    second === undefined
      ? settings.current.secret
      : await readMarked(kube, { apiVersion: "v1", kind: "Secret", namespace, name }, signal);
  const token = (found[key] ?? "").trim();
  if (token !== "") return token;
  throw new Error(
    `its token is ${reference}, and the Secret ${name} has no ${key}${second === undefined ? "" : `, or not the label ${labelKeys.partOf}: argocd`}`,
  );
}

async function readMarked(
  kube: AskNeeds["kube"],
  ref: Parameters<AskNeeds["kube"]["get"]>[0],
  signal: AbortSignal,
): Promise<Readonly<Record<string, string>>> {
  const secret = await kube.get(ref, signal);
  return secret?.metadata.labels?.[labelKeys.partOf] === "argocd" ? secretTexts(secret) : {};
}

function readSeconds(text: string | undefined): number {
  if (text === undefined || text === "" || text === "0") return defaultSeconds;
  const seconds = /^\d{1,6}$/.test(text) ? Number(text) : 0;
  if (seconds > 0 && seconds <= mostSeconds) return seconds;
  throw new Error(`its requestTimeout is ${text}: it may be 1 to ${mostSeconds} seconds`);
}

function readObjects(text: string): Readonly<Record<string, unknown>>[] {
  let answer: unknown;
  try {
    answer = parseBoundedJson(text);
  } catch (error) {
    throw new Error(`what its server answers is no JSON: ${messageOf(error)}`);
  }
  const output = isRecord(answer) ? answer.output : undefined;
  // Go writes a list without members as null; that nothing is said of parameters is no answer.
  const parameters = isRecord(output) && output.parameters === null ? [] : outputOf(output);
  return parameters.map((one, index) => {
    if (isRecord(one)) return one;
    throw new Error(`output.parameters[${index}] of what its server answers is no object`);
  });
}

function outputOf(output: unknown): readonly unknown[] {
  const parameters = isRecord(output) ? output.parameters : undefined;
  if (Array.isArray(parameters)) return parameters;
  throw new Error("what its server answers has no list output.parameters");
}

/** Without the token, which the server knows and may give back. */
function said(text: string, token: string): string {
  const short = messageIn(text).replaceAll(token, "***").slice(0, maxSaid);
  return short === "" ? "nothing more" : short;
}

/** services/internal/http CheckResponse. */
function messageIn(text: string): string {
  try {
    const value = parseBoundedJson(text);
    const { message, error } = isRecord(value) ? value : {};
    if (typeof message === "string") return message;
    return typeof error === "string" ? error : "";
  } catch {
    return text;
  }
}
