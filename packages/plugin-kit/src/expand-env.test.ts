import assert from "node:assert/strict";
import { test } from "node:test";
import { expandEnv } from "./expand-env.ts";

const env = { ARGOCD_APP_NAME: "web", EMPTY: "" };

test("names are replaced, unknown ones by nothing, and $$ is a dollar sign", () => {
  assert.equal(expandEnv("$ARGOCD_APP_NAME-${ARGOCD_APP_NAME}.yaml", env), "web-web.yaml");
  assert.equal(expandEnv("[$UNKNOWN][$EMPTY]", env), "[][]");
  assert.equal(expandEnv("$$ARGOCD_APP_NAME", env), "$ARGOCD_APP_NAME");
  assert.equal(expandEnv("100$ of it", env), "100$ of it");
});
