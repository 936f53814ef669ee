import { isRecord, parseJson } from "@capstan/formats";
import { CapstanError, type PluginParameter } from "@capstan/model";

/** ARGOCD_APP_PARAMETERS: JSON of the parameters that were set, null for none (Argo CD: reposerver/repository getPluginParamEnvs). */
export function readParametersVariable(text: string | undefined): PluginParameter[] {
  const value = text === undefined || text === "" ? null : parseJson(text);
  if (value === null) return [];
  if (!Array.isArray(value) || !value.every(isPluginParameter))
    throw new CapstanError({
      code: "INVALID_ARGUMENT",
      field: "ARGOCD_APP_PARAMETERS",
      problem: "it is not a list of parameters",
    });
  return value;
}

function isPluginParameter(value: unknown): value is PluginParameter {
  if (!isRecord(value) || typeof value.name !== "string") return false;
  const { string: text, array, map: entries } = value;
  return (
    (text === undefined || typeof text === "string") &&
    (array === undefined || (Array.isArray(array) && array.every((item) => typeof item === "string"))) &&
    (entries === undefined ||
      (isRecord(entries) && Object.values(entries).every((item) => typeof item === "string")))
  );
}
