import type { AppProject } from "@capstan/model";

type Account = NonNullable<AppProject["spec"]["destinationServiceAccounts"]>[number];

export function isSameAccount(one: Account, other: Account): boolean {
  return (
    one.server === other.server &&
    (one.namespace ?? "") === (other.namespace ?? "") &&
    one.defaultServiceAccount === other.defaultServiceAccount
  );
}
