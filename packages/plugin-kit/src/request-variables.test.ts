import assert from "node:assert/strict";
import { test } from "node:test";
import { readRequestVariables } from "./request-variables.ts";

const read = (names: readonly string[], givesGit = false) =>
  Object.keys(
    readRequestVariables(
      names.map((name) => ({ name, value: "v" })),
      { givesGit },
    ),
  );

test("variables of the protocol are taken", () => {
  const names = ["ARGOCD_ENV_X", "ARGOCD_ENV_a.b", "ARGOCD_APP_NAME", "PARAM_A_0", "KUBE_VERSION"];
  assert.deepEqual(read([...names, ""]), names);
});

test("those that change which program runs are refused, by name", () => {
  const dangerous = [
    ...[
      "LD_PRELOAD",
      "LD_LIBRARY_PATH",
      "DYLD_INSERT_LIBRARIES",
      "GLIBC_TUNABLES",
      "GCONV_PATH",
      "PATH",
      "HOME",
    ],
    ...[
      "NODE_OPTIONS",
      "NODE_PATH",
      "BASH_ENV",
      "ENV",
      "IFS",
      "SHELLOPTS",
      "BASHOPTS",
      "PS4",
      "PROMPT_COMMAND",
    ],
    ...[
      "BASH_FUNC_helm%%",
      "PYTHONPATH",
      "PYTHONSTARTUP",
      "PERL5OPT",
      "RUBYOPT",
      "JAVA_TOOL_OPTIONS",
      "GOFLAGS",
    ],
    ...[
      "npm_config_script_shell",
      "HELM_PLUGINS",
      "KUSTOMIZE_PLUGIN_HOME",
      "XDG_CONFIG_HOME",
      "EDITOR",
      "PAGER",
    ],
    ...[
      "LESSOPEN",
      "KUBECONFIG",
      "GIT_SSH_COMMAND",
      "GIT_CONFIG_COUNT",
      "GIT_EXEC_PATH",
      "TMPDIR",
      "http_proxy",
    ],
    ...[
      "ARGOCD_ENV",
      "KUBE_EDITOR",
      "X\nARGOCD_ENV_X",
      "ARGOCD_ENV_X=LD_PRELOAD",
      "CAPSTAN_DATA",
      "argocd_env_x",
    ],
  ];
  for (const name of dangerous)
    assert.throws(
      () => read([name]),
      (error) => error instanceof Error && error.message.includes(name.split("\n")[0] ?? ""),
    );
});

test("variables of git are taken by a plugin that asks for credentials, and no others", () => {
  assert.equal(read(["GIT_ASKPASS", "GIT_CONFIG_KEY_0", "ARGOCD_GIT_ASKPASS_NONCE"], true).length, 3);
  for (const name of ["GIT_EXEC_PATH", "GIT_EXTERNAL_DIFF", "GIT_CONFIG_GLOBAL", "GIT_PAGER", "LD_PRELOAD"])
    assert.throws(() => read([name], true));
});
