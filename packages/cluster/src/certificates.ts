/** A door of its own: who makes a certificate needs no cluster. */
export {
  createAuthority,
  createSelfMadeCertificate,
  createServerCertificate,
} from "./security/certificates.ts";
