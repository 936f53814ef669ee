/** One member of a tar archive. */
export interface TarMember {
  readonly name: string;
  readonly mode: number;
  /** Target of a symbolic link; then there is no data. */
  readonly link?: string;
  readonly data: Buffer;
}

const blockBytes = 512;
/** Small pieces cost a turn of the compressor each. */
const pieceBytes = 256 * 2 ** 10;
const end = Buffer.alloc(2 * blockBytes);

/** A tar archive in pieces (POSIX.1-2001 ustar, with pax records for what does not fit). Equal members, equal bytes. */
export async function* tarBlocks(members: AsyncIterable<TarMember>): AsyncGenerator<Buffer> {
  let waiting: Buffer[] = [];
  let bytes = 0;
  for await (const member of members) {
    for (const block of [...headersOf(member), member.data, padding(member.data.length)]) {
      if (block.length === 0) continue;
      waiting.push(block);
      bytes += block.length;
    }
    if (bytes < pieceBytes) continue;
    yield Buffer.concat(waiting);
    waiting = [];
    bytes = 0;
  }
  yield Buffer.concat([...waiting, end]);
}

function headersOf({ name, mode, link = "", data }: TarMember): Buffer[] {
  const long = [
    ...(fits(name) ? [] : [record("path", name)]),
    ...(fits(link) ? [] : [record("linkpath", link)]),
  ];
  const own = header({ name, mode, link, size: data.length, type: link === "" ? "0" : "2" });
  if (long.length === 0) return [own];
  const records = Buffer.concat(long);
  const before = header({ name: "pax", mode: 0o644, link: "", size: records.length, type: "x" });
  return [before, records, padding(records.length), own];
}

function fits(text: string): boolean {
  return text.length <= 100 && /^[\x20-\x7e]*$/.test(text);
}

/** "<length> <key>=<value>\n", where the length counts its own digits. */
function record(key: string, value: string): Buffer {
  const rest = Buffer.from(` ${key}=${value}\n`);
  let length = rest.length;
  while (String(length).length + rest.length !== length) length = String(length).length + rest.length;
  return Buffer.concat([Buffer.from(String(length)), rest]);
}

function header(of: { name: string; mode: number; link: string; size: number; type: string }): Buffer {
  const block = Buffer.alloc(blockBytes);
  block.write(of.name, 0, 100, "utf8");
  block.write(`${octal(of.mode, 7)}\0${octal(0, 7)}\0${octal(0, 7)}\0`, 100, "latin1");
  block.write(`${octal(of.size, 11)}\0${octal(0, 11)}\0        ${of.type}`, 124, "latin1");
  block.write(of.link, 157, 100, "utf8");
  block.write("ustar\x0000", 257, "latin1");
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${octal(sum, 6)}\0 `, 148, "latin1");
  return block;
}

function octal(value: number, digits: number): string {
  return value.toString(8).padStart(digits, "0");
}

function padding(bytes: number): Buffer {
  return Buffer.alloc((blockBytes - (bytes % blockBytes)) % blockBytes);
}
