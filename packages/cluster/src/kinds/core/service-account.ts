import { isObject, listAt } from "../../schema/json.ts";
import type { KubeObject } from "../../types.ts";
import type { Kind } from "../kind.ts";

export const serviceAccount: Kind = {
  group: "",
  resource: "serviceaccounts",
  prepare: prepareServiceAccount,
  deletion: {
    answersObject: true,
  },
};

/** pkg/registry/core/serviceaccount strategy: of its Secrets only the names are kept. */
function prepareServiceAccount(object: KubeObject): KubeObject {
  const secrets = listAt(object, "secrets");
  if (secrets.length === 0) return object;
  const named = secrets.map((secret) => (isObject(secret) && secret.name ? { name: secret.name } : {}));
  return { ...object, secrets: named };
}
