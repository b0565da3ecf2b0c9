import { describe, expect, it } from '@jest/globals';
import { TopicSlots } from './topic-slots.js';

describe(TopicSlots.name, () => {
  const topics = ['limited', 'free'];
  const setUp = (): TopicSlots => new TopicSlots((topic) => (topic === 'limited' ? 2 : undefined));

  it('tells what is left of a limit, and nothing of topics without one', () => {
    const slots = setUp();
    slots.claimed('limited');
    slots.claimed('free');
    expect(slots.freeOf(topics)).toEqual({ topics, freeOfTopic: new Map([['limited', 1]]) });
  });

  it('leaves a topic out that has its fill, until one of its messages has ended', () => {
    const slots = setUp();
    for (let n = 0; n < 3; n++) slots.claimed('limited');
    expect(slots.freeOf(topics)).toEqual({ topics: ['free'], freeOfTopic: new Map() });
    slots.ended('limited');
    expect(slots.freeOf(topics).topics).toEqual(['free']);
    slots.ended('limited');
    expect(slots.freeOf(topics)).toEqual({ topics, freeOfTopic: new Map([['limited', 1]]) });
  });
});
