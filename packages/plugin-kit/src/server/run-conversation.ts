import type { MessageInitShape } from "@bufbuild/protobuf";
import { CapstanError } from "@capstan/model";
import type { pluginV1 } from "@capstan/wire/plugin-protocols";
import type { RpcStream } from "../rpc/service-types.ts";
import type { ObjectFetcher } from "../store/object-fetcher.ts";

export type RunStream = RpcStream<pluginV1.RunRequest, MessageInitShape<typeof pluginV1.RunResponseSchema>>;
type Answer = MessageInitShape<typeof pluginV1.RunResponseSchema>["message"] & object;

const maxInputBytes = 256 * 2 ** 20;

/** The caller's side of one run: what it sends is handed to whoever waits for it. */
export class RunConversation {
  readonly #stream: RunStream;
  readonly #iterator: AsyncIterator<pluginV1.RunRequest>;
  readonly #input = Promise.withResolvers<readonly pluginV1.Manifest[]>();
  readonly #credentials = new Map<string, PromiseWithResolvers<Record<string, string>>>();
  #sending: Promise<void> = Promise.resolve();

  constructor(stream: RunStream) {
    this.#stream = stream;
    this.#iterator = stream[Symbol.asyncIterator]();
    this.#input.promise.catch(() => undefined);
  }

  async start(): Promise<pluginV1.Start> {
    const first = await this.#iterator.next();
    const message = first.done === true ? undefined : first.value.message;
    if (message?.case !== "start")
      throw new CapstanError({
        code: "INVALID_ARGUMENT",
        field: "start",
        problem: "must be the first message",
      });
    return message.value;
  }

  /** Reads until the caller has nothing more to say; a caller that leaves fails every wait. */
  async listen(objects: ObjectFetcher): Promise<void> {
    const manifests: pluginV1.Manifest[] = [];
    let bytes = 0;
    try {
      for (let next = await this.#iterator.next(); next.done !== true; next = await this.#iterator.next()) {
        const { message } = next.value;
        if (message.case === "objects") for (const object of message.value.objects) deliver(objects, object);
        else if (message.case === "manifests") {
          for (const { json } of message.value.manifests) bytes += json.length;
          if (bytes > maxInputBytes)
            throw new CapstanError({
              code: "OUTPUT_TOO_LARGE",
              what: "the manifests to transform",
              limitBytes: maxInputBytes,
            });
          manifests.push(...message.value.manifests);
        } else if (message.case === "inputEnd") this.#input.resolve(manifests);
        else if (message.case === "credentials") this.#receive(message.value);
      }
      this.#end(objects, new Error("the caller has ended the conversation"));
    } catch (error) {
      this.#end(objects, error);
    }
  }

  /** The manifests to transform, once they are all there. */
  input(): Promise<readonly pluginV1.Manifest[]> {
    return this.#input.promise;
  }

  /** Messages go one after the other. */
  send(message: Answer): Promise<void> {
    const sent = this.#sending.then(() => this.#stream.send({ message }));
    this.#sending = sent.catch(() => undefined);
    return sent;
  }

  async credentials(repository: string): Promise<Readonly<Record<string, string>>> {
    const waiting = this.#credentials.get(repository) ?? Promise.withResolvers<Record<string, string>>();
    if (!this.#credentials.has(repository)) {
      waiting.promise.catch(() => undefined);
      this.#credentials.set(repository, waiting);
      await this.send({ case: "wantCredentials", value: { repository } });
    }
    return waiting.promise;
  }

  #receive({ repository, env, refused }: pluginV1.Credentials): void {
    const waiting = this.#credentials.get(repository);
    if (refused !== "")
      waiting?.reject(new CapstanError({ code: "REPOSITORY_AUTH", repository, problem: refused }));
    else waiting?.resolve(Object.fromEntries(env.map(({ name, value }) => [name, value])));
  }

  #end(objects: ObjectFetcher, reason: unknown): void {
    objects.fail(reason);
    this.#input.reject(reason);
    for (const waiting of this.#credentials.values()) waiting.reject(reason);
  }
}

function deliver(objects: ObjectFetcher, { id, content, more }: pluginV1.Object$): void {
  if (content.case === "refused") objects.refused(id, content.value);
  else if (content.case === "data") objects.arrived(id, Buffer.from(content.value), more);
  else if (content.case === "directory") objects.arrived(id, content.value.entries, false);
}
