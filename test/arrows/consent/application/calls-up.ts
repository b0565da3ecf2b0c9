import { controller } from '../http/controller.js';

export const taken = controller;
