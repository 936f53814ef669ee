import type { Clock } from "@capstan/model";
import type { KeyServices } from "../data-key.ts";
import { ageKey } from "./age-key.ts";
import { awsKms } from "./aws-kms.ts";
import { azureKeys } from "./azure-keys.ts";
import { googleKms } from "./google-kms.ts";
import { pgpKey } from "./pgp-key.ts";
import { vaultTransit } from "./vault-transit.ts";

/** The keys that this process may use, found by the variables that sops reads. */
export function keyServices(env: Readonly<Record<string, string | undefined>>, clock: Clock): KeyServices {
  return {
    age: ageKey(env),
    pgp: pgpKey(env, clock),
    hc_vault: vaultTransit(env, clock),
    kms: awsKms(env, clock),
    gcp_kms: googleKms(env, clock),
    azure_kv: azureKeys(env, clock),
  };
}
