/** A delivery to an endpoint that has delivered before. The ordering key is the endpoint, the subject the event. */
export const EVENT_DUE = 'event.due';
/** A delivery to an endpoint that failed or has not delivered yet, or a probe. It has separate slots, so that it delays no working endpoint. */
export const EVENT_REPEAT = 'event.repeat';
