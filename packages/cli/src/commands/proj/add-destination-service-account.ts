import { defineProjectChange, refusal, withSpec } from "./change-project.ts";
import { isSameAccount } from "./service-accounts.ts";

export default defineProjectChange({
  usage: "PROJECT SERVER NAMESPACE SERVICE_ACCOUNT",
  help: "Say as whom is synced to a cluster and namespace.",
  arity: [3, 3],
  flags: {
    "service-account-namespace": {
      kind: "string",
      help: "Where the account is, unless in the destination's namespace",
      value: "NAMESPACE",
    },
  },
  change(project, { args: [server = "", namespace = "", account = ""], flags }) {
    const place = flags["service-account-namespace"];
    if (place?.includes("*"))
      throw refusal("service-account-namespace for DestinationServiceAccount must not contain wildcards");
    if (account.includes("*"))
      throw refusal("ServiceAccount for DestinationServiceAccount must not contain wildcards");
    const added = { server, namespace, defaultServiceAccount: place ? `${place}:${account}` : account };
    const old = project.spec.destinationServiceAccounts ?? [];
    if (old.some((one) => isSameAccount(one, added)))
      throw refusal("Specified destination service account is already defined in project");
    return { project: withSpec(project, { destinationServiceAccounts: [...old, added] }) };
  },
});
