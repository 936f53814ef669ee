import type { Clock } from "@capstan/flow";
import type { SecretStores } from "@capstan/model";
import type { KeyServices, Unwrap } from "../data-key.ts";
import type { KeyType, MasterKey } from "../metadata.ts";
import { ageKey } from "./age-key.ts";
import { awsKms } from "./aws-kms.ts";
import { azureKeys } from "./azure-keys.ts";
import { googleKms } from "./google-kms.ts";
import { pgpKey } from "./pgp-key.ts";
import { vaultTransit } from "./vault-transit.ts";

type Env = Readonly<Record<string, string | undefined>>;

/** As secret stores of projects are named: sops:age/RECIPIENT, sops:aws/ARN and so on. */
const names: Readonly<Record<KeyType, string>> = {
  age: "age",
  pgp: "pgp",
  hc_vault: "vault",
  kms: "aws",
  gcp_kms: "gcp",
  azure_kv: "azure",
  hckms: "huawei",
};

/** The keys that this process may use, found by the variables that sops reads, as far as the project may. */
export function keyServices(env: Env, clock: Clock, permitted?: SecretStores): KeyServices {
  const services = ownServices(env, clock);
  if (!permitted) return services;
  const guarded = Object.entries(services).map(([type, unwrap]) => [type, guard(unwrap, permitted)]);
  return Object.fromEntries(guarded);
}

function guard(unwrap: Unwrap, permitted: SecretStores): Unwrap {
  return async (key, signal) => {
    permitted.require("sops", `${names[key.type]}/${idOf(key)}`);
    return unwrap(key, signal);
  };
}

/** A recipient in SSH's form has slashes that part nothing. */
function idOf({ fields }: MasterKey): string {
  const { recipient, fp, arn, resource_id, key_id, name, version } = fields;
  const { vault_url, vault_address, engine_path, key_name } = fields;
  if (recipient !== undefined) return recipient.replaceAll("/", "_");
  const address = (vault_address ?? vault_url ?? "").replace(/^https?:\/\//, "");
  const parts = [fp, arn, resource_id, key_id, address, engine_path, key_name ?? name, version];
  return parts.flatMap((part) => (part ? [part.replace(/^\/|\/$/g, "")] : [])).join("/");
}

function ownServices(env: Env, clock: Clock): Omit<Required<KeyServices>, "hckms"> {
  return {
    age: ageKey(env),
    pgp: pgpKey(env, clock),
    hc_vault: vaultTransit(env, clock),
    kms: awsKms(env, clock),
    gcp_kms: googleKms(env, clock),
    azure_kv: azureKeys(env, clock),
  };
}
