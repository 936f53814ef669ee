import type { KubeResponse } from "@capstan/kube";

/** An answer of kube-apiserver that refuses, as it words it. */
export function refusal(code: number, reason: string, message: string): () => KubeResponse {
  const status = { kind: "Status", apiVersion: "v1", status: "Failure", code, reason, message };
  const isBusy = code === 429;
  const headers = { "content-type": "application/json", ...(isBusy ? { "retry-after": "1" } : {}) };
  const body = JSON.stringify({ ...status, ...(isBusy ? { details: { retryAfterSeconds: 1 } } : {}) });
  return () => ({ status: code, headers, body });
}
