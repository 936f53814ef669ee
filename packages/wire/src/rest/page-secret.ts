/**
 * Header by which the page shows the secret that it made when somebody logged in. Cookies are sent to every port of a
 * host; what the page keeps is for its own address alone.
 */
export const pageSecretHeader = "x-capstan-page";
