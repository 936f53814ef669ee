/**
 * Header by which the page shows the secret that it made when somebody logged in. Cookies are sent to every port of a
 * host; what the page keeps is for its own address alone.
 */
export const pageSecretHeader = "x-capstan-page";

/** What the page and the server speak over /terminal: JSON texts as Argo CD's server has them (server/application/websocket.go). */
export const terminalProtocol = "capstan.terminal";

/** What they speak over /api/v1/streams: see many-streams.ts. */
export const streamsProtocol = "capstan.streams";

/** The same secret among the protocols that a websocket offers: browsers let a page set no header of one. */
export const pageProtocolPrefix = "capstan.page.";
