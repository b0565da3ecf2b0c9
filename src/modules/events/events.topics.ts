/** A delivery to an endpoint that works, as far as is known. The ordering key is the endpoint, the subject the event. */
export const EVENT_DUE = 'event.due';
/** A delivery to an endpoint that failed, or a probe. It has separate slots, so that it delays no working endpoint. */
export const EVENT_REPEAT = 'event.repeat';
