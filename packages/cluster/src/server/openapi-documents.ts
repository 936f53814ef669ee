import type { ApiRequest, ApiResponse } from "../types.ts";

/** What goes out of the door: text, bytes, or lines as they come. */
export type Answer = Omit<ApiResponse, "body"> & { body: ApiResponse["body"] | Uint8Array };

/** client-go writes the first, kube-apiserver both (kube-openapi pkg/handler). */
const asked = /application\/com\.github\.proto-openapi\.spec\.v2[.@]v1\.0\+protobuf/;
const answered = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";

/** OpenAPI v2 in protobuf at the door, as bodies are: nothing behind it knows of any other form than JSON. */
export class OpenapiDocuments {
  #text = "";
  #bytes: Uint8Array = new Uint8Array();

  async answer(request: ApiRequest, handle: (request: ApiRequest) => Promise<ApiResponse>): Promise<Answer> {
    const { url, headers } = request;
    if (!/^\/openapi\/v2(?:\?|$)/.test(url) || !asked.test(headers.accept ?? "")) return handle(request);
    const response = await handle({ ...request, headers: { ...headers, accept: "application/json" } });
    if (response.status !== 200 || typeof response.body !== "string") return response;
    if (this.#text !== response.body) {
      const { encodeOpenapi } = await import("../protobuf/encode-openapi.ts");
      this.#text = response.body;
      this.#bytes = encodeOpenapi(response.body);
    }
    return { ...response, headers: { ...response.headers, "content-type": answered }, body: this.#bytes };
  }
}
