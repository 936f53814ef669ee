import { defineCommand } from "@capstan/cli/record";
import { readUpOptions, upFlags } from "./options.ts";

export default defineCommand({
  usage: "",
  help: "Run all of Capstan on one machine, on an embedded cluster or on one of yours.",
  notes: `Environment, beside that of the flags:
  CAPSTAN_ALLOW_FOLDERS        more folders as by --allow-folder, with : between them
  CAPSTAN_OWN_SSH_KEYS         true: git asks repositories of every application with your own ssh keys and agent
  CAPSTAN_PLUGIN_TOKEN_FILE    token that plugins running as Services ask for (their --token-file)
  CAPSTAN_PLUGIN_CA_FILE       authority of their certificates; without one these are not verified
  CAPSTAN_PLUGIN_CERT_FILE, CAPSTAN_PLUGIN_KEY_FILE
                               certificate that they ask for (their --client-ca), and its key
  ARGOCD_REPO_SERVER_PLUGIN_TAR_EXCLUSIONS
                               globs of files that no plugin gets, with ; between them
  ARGOCD_REPO_SERVER_PLUGIN_USE_MANIFEST_GENERATE_PATHS
                               true: plugins get only what that annotation of an application names
  CAPSTAN_UNCONFINED_COMMANDS  true: commands of applications run where no sandbox (bubblewrap) works
  CAPSTAN_KPT_EXEC, CAPSTAN_KPT_IMAGES
                               programs and images that functions of kpt packages may name
  VAULT_..., AVP_..., SOPS_..., LOVELY_..., KPT_IMAGE_PREFIX and the like
                               settings of the plugins that come along (docs/)
  ARGOCD_GPG_ENABLED           false: no signature of a commit is verified, whatever a project demands
  ARGOCD_SYNC_WAVE_DELAY       seconds between sync waves (default 0: the next wave waits for health alone)
`,
  argument: "none",
  arity: [0, 0],
  standsAlone: true,
  ownSignals: true,
  endings: { prefix: "capstan up: ", usage: 2, failed: 1, stack: true },
  flags: upFlags,
  async run({ flags, io }) {
    const options = readUpOptions(flags, io.env);
    if (flags.detach || flags.wait) {
      const { startDetached } = await import("./detach.ts");
      const waits = flags.wait === true && options.samples && options.controllers;
      await startDetached({ dataDir: options.dataDir, waits }, io);
      return 0;
    }
    await (await import("./run-up.ts")).runUp(options);
    return 0;
  },
});
