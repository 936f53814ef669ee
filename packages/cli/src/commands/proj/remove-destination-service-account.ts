import { defineProjectChange, refusal, withSpec } from "./change-project.ts";
import { isSameAccount } from "./service-accounts.ts";

export default defineProjectChange({
  usage: "PROJECT SERVER NAMESPACE SERVICE_ACCOUNT",
  help: "Say no more as whom is synced to a cluster and namespace.",
  arity: [3, 3],
  change(project, { args: [server = "", namespace = "", defaultServiceAccount = ""] }) {
    const old = project.spec.destinationServiceAccounts ?? [];
    const gone = { server, namespace, defaultServiceAccount };
    const destinationServiceAccounts = old.filter((one) => !isSameAccount(one, gone));
    if (destinationServiceAccounts.length === old.length)
      throw refusal("Specified destination service account does not exist in project");
    return { project: withSpec(project, { destinationServiceAccounts }) };
  },
});
