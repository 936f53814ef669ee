import { constants, createDeflate, createInflate, type Deflate, type Inflate } from "node:zlib";

const names =
  "options head post put delete trace accept accept-charset accept-encoding accept-language accept-ranges age allow authorization cache-control connection content-base content-encoding content-language content-length content-location content-md5 content-range content-type date etag expect expires from host if-match if-modified-since if-none-match if-range if-unmodified-since last-modified location max-forwards pragma proxy-authenticate proxy-authorization range referer retry-after server te trailer transfer-encoding upgrade user-agent vary via warning www-authenticate method get status|200 OK|version HTTP/1.1 url public set-cookie keep-alive origin";
const tail =
  "100101201202205206300302303304305306307402405406407408409410411412413414415416417502504505203 Non-Authoritative Information204 No Content301 Moved Permanently400 Bad Request401 Unauthorized403 Forbidden404 Not Found500 Internal Server Error501 Not Implemented503 Service UnavailableJan Feb Mar Apr May Jun Jul Aug Sept Oct Nov Dec 00:00:00 Mon, Tue, Wed, Thu, Fri, Sat, Sun, GMTchunked,text/html,image/png,image/jpg,image/gif,application/xml,application/xhtml+xml,text/plain,text/javascript,publicprivatemax-age=gzip,deflate,sdchcharset=utf-8charset=iso-8859-1,utf-,*,enq=0.";

/** The texts that compression starts from (SPDY draft 3.1, section 2.6.10.1). */
function dictionary(): Buffer {
  const words = names.split("|").flatMap((part, index) => (index === 1 ? [part] : part.split(" ")));
  return Buffer.concat([...words.map(lengthed), Buffer.from(tail)]);
}

function lengthed(text: string): Buffer {
  const bytes = Buffer.from(text);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
}

/** Of what a client sends, before and after it is unpacked. */
const mostPacked = 8_192;
const mostUnpacked = 65_536;

/** The header blocks of one connection: each is packed with what all before it had. */
export class HeaderBlocks {
  readonly #inflate: Inflate;
  readonly #deflate: Deflate;

  constructor() {
    const options = { dictionary: dictionary(), flush: constants.Z_SYNC_FLUSH };
    this.#inflate = createInflate({ ...options, finishFlush: constants.Z_SYNC_FLUSH });
    this.#deflate = createDeflate(options);
  }

  async read(packed: Buffer): Promise<ReadonlyMap<string, string>> {
    if (packed.length > mostPacked) throw new Error("a header block is too large");
    const block = await through(this.#inflate, packed);
    if (block.length > mostUnpacked) throw new Error("a header block is too large");
    let at = 0;
    const number = (): number => {
      const value = block.readUInt32BE(at);
      at += 4;
      return value;
    };
    const text = (): string => {
      const length = number();
      at += length;
      return block.toString("utf8", at - length, at);
    };
    const headers = new Map<string, string>();
    for (let left = number(); left > 0 && at < block.length; left -= 1) headers.set(text(), text());
    return headers;
  }

  write(headers: Readonly<Record<string, string>>): Promise<Buffer> {
    const entries = Object.entries(headers);
    const count = Buffer.alloc(4);
    count.writeUInt32BE(entries.length);
    return through(this.#deflate, Buffer.concat([count, ...entries.flat().map(lengthed)]));
  }

  close(): void {
    this.#inflate.destroy();
    this.#deflate.destroy();
  }
}

function through(packer: Inflate | Deflate, bytes: Buffer): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    packer.once("error", reject);
    packer.write(bytes, () => {
      packer.off("error", reject);
      const pieces: Buffer[] = [];
      for (let piece = packer.read(); piece !== null; piece = packer.read()) pieces.push(piece);
      resolve(Buffer.concat(pieces));
    });
  });
}
