"""The engine under the readers: a log -> blocks of whole lines -> events with their stamps -> columns of a frame."""
