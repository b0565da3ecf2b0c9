/** For servers: reads the visitor's choice from the cookie of a request. Needs no DOM. */
export { CHOICE_COOKIES, type CookieChoice, parseChoice, readChoice } from './choice-cookie.js';
