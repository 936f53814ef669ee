import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  generateKeyPairSync,
  randomBytes,
  scryptSync,
} from "node:crypto";
import bcrypt from "bcryptjs";
import { define, type GoFunction, type GoFunctions } from "../execute/functions.ts";

/** What a computation of a tenth of a second counts for: a template may do eight of them. */
const slow = 2 ** 19;

/** sprig's cryptography (Masterminds/sprig crypto.go). What makes certificates is refused: it would differ each time. */
export const secretFunctions: GoFunctions = {
  bcrypt: define(["string"], ([text], { spend }) => {
    spend(slow);
    return hashed(text);
  }),
  htpasswd: define(["string", "string"], ([user, password], { spend }) => {
    spend(slow);
    return user.includes(":") ? `invalid username: ${user}` : `${user}:${hashed(password)}`;
  }),
  encryptAES: define(["string", "string"], ([password, text]) => {
    const iv = randomBytes(16);
    const cipher = createCipheriv("aes-256-cbc", keyOf(password), iv);
    return Buffer.concat([iv, cipher.update(text, "utf8"), cipher.final()]).toString("base64");
  }),
  decryptAES: define(["string", "string"], ([password, text]) => {
    const bytes = Buffer.from(text, "base64");
    if (bytes.length < 32 || bytes.length % 16 !== 0)
      throw new Error("ciphertext is not a multiple of the block size");
    const decipher = createDecipheriv("aes-256-cbc", keyOf(password), bytes.subarray(0, 16));
    return Buffer.concat([decipher.update(bytes.subarray(16)), decipher.final()]).toString("utf8");
  }),
  genPrivateKey: define(["string"], ([type], { spend }) => {
    spend(4 * slow);
    return privateKey(type);
  }),
  derivePassword: define(["int", "string", "string", "string", "string"], (args, { spend }) => {
    spend(slow);
    return derivePassword(args);
  }),
  buildCustomCert: refused("buildCustomCert"),
  genCA: refused("genCA"),
  genCAWithKey: refused("genCAWithKey"),
  genSelfSignedCert: refused("genSelfSignedCert"),
  genSelfSignedCertWithKey: refused("genSelfSignedCertWithKey"),
  genSignedCert: refused("genSignedCert"),
  genSignedCertWithKey: refused("genSignedCertWithKey"),
};

function refused(name: string): GoFunction {
  return {
    parameters: [],
    rest: "any",
    run: () => {
      throw new Error(
        `${name} is not supported: a template that makes a certificate differs each time it is rendered`,
      );
    },
  };
}

const mostPassword = 72;

const hashed = (text: string): string =>
  Buffer.byteLength(text) > mostPassword
    ? "failed to encrypt string with bcrypt: bcrypt: password length exceeds 72 bytes"
    : // The same hash by the name that Go gives it.
      bcrypt.hashSync(text, 10).replace(/^\$2b\$/, "$2a$");

/** The password itself, cut or filled with zeros. */
function keyOf(password: string): Buffer {
  const key = Buffer.alloc(32);
  Buffer.from(password).copy(key);
  return key;
}

function privateKey(type: string): string {
  if (type === "" || type === "rsa")
    return generateKeyPairSync("rsa", { modulusLength: 4096 })
      .privateKey.export({ type: "pkcs1", format: "pem" })
      .toString();
  if (type === "ecdsa")
    return generateKeyPairSync("ec", { namedCurve: "P-256" })
      .privateKey.export({ type: "sec1", format: "pem" })
      .toString();
  if (type === "ed25519")
    return generateKeyPairSync("ed25519").privateKey.export({ type: "pkcs8", format: "pem" }).toString();
  return type === "dsa" ? "failed to generate private key: dsa is not supported" : `Unknown type ${type}`;
}

const seed = "com.lyndir.masterpassword";
/** Shapes of passwords: of each a letter is a class of characters below (the Master Password algorithm). */
const shapes: Readonly<Record<string, readonly string[]>> = {
  maximum: ["anoxxxxxxxxxxxxxxxxx", "axxxxxxxxxxxxxxxxxno"],
  long: [
    ..."CvcvnoCvcvCvcv CvcvCvcvnoCvcv CvcvCvcvCvcvno CvccnoCvcvCvcv CvccCvcvnoCvcv CvccCvcvCvcvno CvcvnoCvccCvcv".split(
      " ",
    ),
    ..."CvcvCvccnoCvcv CvcvCvccCvcvno CvcvnoCvcvCvcc CvcvCvcvnoCvcc CvcvCvcvCvccno CvccnoCvccCvcv CvccCvccnoCvcv".split(
      " ",
    ),
    ..."CvccCvccCvcvno CvcvnoCvccCvcc CvcvCvccnoCvcc CvcvCvccCvccno CvccnoCvcvCvcc CvccCvcvnoCvcc CvccCvcvCvccno".split(
      " ",
    ),
  ],
  medium: ["CvcnoCvc", "CvcCvcno"],
  short: ["Cvcn"],
  basic: ["aaanaaan", "aannaaan", "aaannaaa"],
  pin: ["nnnn"],
};
const classes: Readonly<Record<string, string>> = {
  V: "AEIOU",
  C: "BCDFGHJKLMNPQRSTVWXYZ",
  v: "aeiou",
  c: "bcdfghjklmnpqrstvwxyz",
  A: "AEIOUBCDFGHJKLMNPQRSTVWXYZ",
  a: "AEIOUaeiouBCDFGHJKLMNPQRSTVWXYZbcdfghjklmnpqrstvwxyz",
  n: "0123456789",
  o: "@&%?,=[]_:-+*$#!'^~;()/.",
  x: "AEIOUaeiouBCDFGHJKLMNPQRSTVWXYZbcdfghjklmnpqrstvwxyz0123456789!@#$%^&*()",
};

function derivePassword([counter, type, password, user, site]: readonly [
  number,
  string,
  string,
  string,
  string,
]): string {
  const templates = shapes[type];
  if (!templates) return `cannot find password template ${type}`;
  const salt = Buffer.concat([Buffer.from(seed), sized(user)]);
  const key = scryptSync(password, salt, 64, { N: 32_768, r: 8, p: 2, maxmem: 2 ** 27 });
  const count = Buffer.alloc(4);
  count.writeUInt32BE(counter >>> 0);
  const bytes = createHmac("sha256", key)
    .update(Buffer.concat([Buffer.from(seed), sized(site), count]))
    .digest();
  const shape = templates[(bytes[0] ?? 0) % templates.length] ?? "";
  return [...shape]
    .map((one, index) => {
      const chars = classes[one] ?? "";
      return chars[(bytes[index + 1] ?? 0) % chars.length] ?? "";
    })
    .join("");
}

function sized(text: string): Buffer {
  const bytes = Buffer.from(text);
  const size = Buffer.alloc(4);
  size.writeUInt32BE(bytes.length);
  return Buffer.concat([size, bytes]);
}
