/** For servers: reads the visitor's choice from the cookie of a request, and verifies events. Needs no DOM. */
export { CHOICE_COOKIES, type CookieChoice, parseChoice, readChoice } from './choice-cookie.js';
export {
  type EventHeaders,
  EventVerificationError,
  type ServiceEvent,
  type ServiceEventType,
  verifyEvent,
} from './verify-event.js';
