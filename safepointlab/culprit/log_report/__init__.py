"""Logs that a user brings -> one HTML page that holds everything: what was found, its pictures, and what was left out.

parts      the files -> one part for each kind of log in each of them, and the files that are left out, with the reason
pauses     the tables that sum up logs of stops and of collections
code       the tables that sum up logs of compilations, latencies, recordings and profiles
summary    a part -> its tables and its pictures, whatever its kind
page       all parts -> the page; it needs no script, and no request leaves it
"""
