import { expansionProblem, parseBoundedJson } from "@capstan/formats";
import { goSchema } from "@capstan/formats/yaml";
import { load } from "js-yaml";

/**
 * JSON is read exactly even where YAML is announced: kubectl and client-go send JSON as apply-patch+yaml. Of a key
 * that stands twice the last one counts. What aliases stand for is counted before anything goes over it, as
 * kube-apiserver's reader does (yaml.v2 decode.go allowedAliasRatio).
 */
export function parseSentYaml(text: string): unknown {
  if (text.trimStart().startsWith("{")) return parseBoundedJson(text);
  const value = load(text, { schema: goSchema, json: true });
  const problem = text.includes("*") ? expansionProblem(value) : undefined;
  if (problem !== undefined) throw new SyntaxError(`document contains excessive aliasing: ${problem}`);
  return value;
}
