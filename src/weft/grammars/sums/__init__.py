"""Sums over all trees and strings of a grammar."""
