import type { DescMessage } from "@bufbuild/protobuf";
import { messageOf } from "@capstan/model";
import { checkValues } from "@capstan/wire/bounded-message";
import { Code, ConnectError } from "@connectrpc/connect";
import { encodeEnvelope, transformSplitEnvelope, type UniversalHandler } from "@connectrpc/connect/protocol";

/** As many as a body of JSON may have. */
const mostValues = 250_000;

type Handle = (...given: Parameters<UniversalHandler>) => ReturnType<UniversalHandler>;

/**
 * The handler, given only messages of not too many values: the library makes them into objects, which may be a hundred
 * times as large as the bytes, before anybody else sees them.
 */
export function bounded(handler: UniversalHandler, readMaxBytes: number): UniversalHandler {
  const { service, method, requestPath, protocolNames, allowedMethods, supportedContentType } = handler;
  const handle: Handle = (request) => {
    const { body } = request;
    if (typeof body !== "object" || body === null || !isOfBytes(body)) return handler(request);
    return handler({ ...request, body: checked(transformSplitEnvelope(readMaxBytes)(body), method.input) });
  };
  const facts = { service, method, requestPath, protocolNames, allowedMethods, supportedContentType };
  return Object.assign(handle, facts);
}

type Body = Parameters<UniversalHandler>[0]["body"];

const isOfBytes = (body: Body & object): body is AsyncIterable<Uint8Array> => Symbol.asyncIterator in body;

type Envelope = Parameters<typeof joined>[0];

async function* checked(envelopes: AsyncIterable<Envelope>, desc: DescMessage): AsyncGenerator<Uint8Array> {
  for await (const envelope of envelopes) {
    // What is compressed, or no message, is refused by the library.
    if (envelope.flags === 0) check(desc, envelope.data);
    yield joined(envelope);
  }
}

const joined = ({ flags, data }: { flags: number; data: Uint8Array }): Uint8Array =>
  encodeEnvelope(flags, data);

function check(desc: DescMessage, data: Uint8Array): void {
  try {
    checkValues(desc, data, mostValues);
  } catch (error) {
    throw new ConnectError(`the message cannot be read: ${messageOf(error)}`, Code.InvalidArgument);
  }
}
